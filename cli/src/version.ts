/** Replaced by the bundler with the package's version. */
declare const __WEFT_VERSION__: string;

export const VERSION: string = __WEFT_VERSION__;
