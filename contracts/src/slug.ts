/** Names of files that follow from names of objects. */
const SLUG_MAX = 80;

/** Lower-case letters, digits and dashes; "unnamed" for a name without any of them. */
export function buildSlug(name: string): string {
	const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
	const slug = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
	return slug.slice(0, SLUG_MAX).replace(/-+$/, "") || "unnamed";
}
