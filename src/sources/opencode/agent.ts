export const AGENT = 'opencode';
