/** A line of the screen, and how it looks where there is colour. */
export interface Line {
  readonly text: string;
  readonly style: 'head' | 'marked' | 'quiet' | 'bad' | '';
}

export interface Size {
  readonly width: number;
  readonly height: number;
}
