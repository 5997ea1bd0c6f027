export const AGENT = 'gemini-cli';
