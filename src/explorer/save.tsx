/** Hands a person a file. */
export function save(name: string, blob: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function saveText(name: string, text: string, type = 'application/octet-stream'): void {
  save(name, new Blob([text], { type }));
}
