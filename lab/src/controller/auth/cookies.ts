/** The cookies of a request, with repetitions: a cookie sent twice is a trap of its own. */
export function readCookies(header: string | undefined): Map<string, string[]> {
	const found = new Map<string, string[]>();
	for (const part of (header ?? "").split(";")) {
		const equals = part.indexOf("=");
		if (equals < 1) continue;
		const name = part.slice(0, equals).trim().toLowerCase();
		found.set(name, [...(found.get(name) ?? []), part.slice(equals + 1).trim()]);
	}
	return found;
}

export function findFirstCookie(cookies: ReadonlyMap<string, readonly string[]>, name: string): string | undefined {
	return cookies.get(name.toLowerCase())?.[0];
}
