/** Constants of reference data of automation templates. */

export const REGEX_FLAGS = /^(?!.*(.).*\1)[ims]*$/;
