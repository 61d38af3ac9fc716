/** The server's words about a job, as they are stored and shown. */
import { type Mask, maskTexts } from "../../../../core/mask.ts";

const WORDS_MAX = 2_000;

/** Masked as a whole, then cut, so that no secret is cut in two. */
export const formatStoredText = (text: string, mask: Mask): string =>
	mask(text).slice(0, WORDS_MAX).toWellFormed().replaceAll("\0", "");

/** Columns that hold words of the server. */
const WORDS = ["error", "explanation", "current_task", "cancel_error", "server_status"] as const;

/** Values of a row with the server's words masked and cut. */
export function maskWords<Values extends { readonly [Name in (typeof WORDS)[number]]?: unknown }>(
	values: Values,
	mask: Mask,
): Values {
	const words = WORDS.flatMap((name) => {
		const value = values[name];
		return typeof value === "string" ? [[name, formatStoredText(value, mask)]] : [];
	});
	return { ...values, ...Object.fromEntries(words) };
}

/** A warning with all its texts masked. */
export const maskWarning = <Warning extends { readonly message: string }>(warning: Warning, mask: Mask): Warning => ({
	...(maskTexts(warning, mask) as Warning),
	message: formatStoredText(warning.message, mask),
});
