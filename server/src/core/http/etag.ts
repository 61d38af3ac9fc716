/** Validators of conditional requests. */

/** Whether one of the listed validators is this one; `*` is any (RFC 9110, section 13.1.2). */
export function hasEtag(header: string | string[] | undefined, etag: string | undefined): boolean {
	const listed = Array.isArray(header) ? header.join(",") : header;
	if (listed === undefined || etag === undefined) return false;
	return listed.split(",").some((item) => item.trim() === "*" || item.trim().replace(/^W\//, "") === etag);
}
