/** Constants of API tokens. */

/** What every secret begins with, so that scanners of source code can recognise it. */
export const TOKEN_PREFIX = "weft_pat_";
export const TOKEN_ADDRESSES_MAX = 100;
