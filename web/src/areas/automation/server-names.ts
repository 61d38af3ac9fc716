/** Names of objects of the automation server, which are unique in an organization only. Pure. */

interface NamedObject {
	readonly id: number;
	readonly name: string;
	/** Templates have a name, credentials an id; null: none. */
	readonly organization: { readonly name: string } | number | null;
}

/** The name; with its organization, or else its id, where another object has the same name. */
export function nameWithOrganization(object: NamedObject, all: readonly NamedObject[]): string {
	const { id, name, organization } = object;
	if (!all.some((other) => other.id !== id && other.name === name)) return name;
	if (typeof organization === "number") return `${name} (organization ${organization}, id ${id})`;
	return organization === null ? `${name} (id ${id})` : `${name} (${organization.name}, id ${id})`;
}
