/** What is wrong with a compressed file: it ends too early (it may still be written), or it is no such data. */
export type Damage = 'truncated' | 'corrupt';
