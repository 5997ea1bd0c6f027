export const AGENT = 'cline';
