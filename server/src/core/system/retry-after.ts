/**
 * The header Retry-After in milliseconds: seconds, or an HTTP date (RFC 9110, 10.2.3). Null where
 * it is absent or is neither.
 * @param now the receiver's time in milliseconds since 1970, as in its Date header; NaN if unknown
 */
export function readRetryAfter(value: string | undefined, now: number): number | null {
	const text = value?.trim() ?? "";
	if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
	// Date.parse takes a bare number for a year.
	const wait = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) - now : Number.NaN;
	return Number.isNaN(wait) ? null : Math.max(0, wait);
}
