/** The codes of an authenticator app. */
import { TOTP } from "otpauth";

/**
 * Generates the code of this moment.
 * @param secret in Base32
 */
export const generateTotp = (secret: string): string => new TOTP({ secret }).generate();
