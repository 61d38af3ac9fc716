/** A name for a file that is safe in a header and on every system. */
export function buildFileName(name: string): string {
	const plain = name
		.normalize("NFKD")
		.replace(/[^\w-]+/g, "-")
		.replace(/^-+|-+$/g, "");
	return plain.slice(0, 60) || "results";
}
