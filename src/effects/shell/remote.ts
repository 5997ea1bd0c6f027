/**
 * The host of a remote place as git, scp and rsync write it: `scheme://host/...`, `user@host:path`, `host:path`.
 * '' for a local path (`./a:b`, `C:\x`) and for a named remote.
 */
export function remoteHost(place: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(place)) return place.startsWith('file:') ? '' : place;
  const parts = /^(?:[^@/\s]+@)?([A-Za-z0-9_][\w.-]+|\[[0-9a-f:]+\])::?(?!\/\/)/i.exec(place);
  return parts ? (parts[1] as string) : '';
}
