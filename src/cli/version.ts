/** The version of the program; equal to package.json's, which a test holds together. */
export const VERSION = '0.1.0';
