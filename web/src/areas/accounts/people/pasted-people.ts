/** People as they are pasted into the form of an invitation. Pure. */

export interface PastedPerson {
	readonly username: string;
	/** Empty: none was given. */
	readonly email: string;
}

const NAME = /^[A-Za-z0-9_.@+-]{3,150}$/;
const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@.]+$/;

const buildPerson = (email: string): PastedPerson => ({ username: email.split("@")[0] ?? "", email });

/**
 * Parses lines of a username, an email address, or both in any order, separated by commas,
 * semicolons, tabs or spaces; `Name <address>` counts by its address. A line of several addresses
 * is several people. Without a username the part before the `@` is taken.
 */
export function parsePeople(text: string): PastedPerson[] {
	return text.split(/\r?\n/).flatMap((line) => {
		const angled = [...line.matchAll(/<([^<>\s]+@[^<>\s]+)>/g)].flatMap(([, address]) => address ?? []);
		if (angled.length > 0) return angled.map(buildPerson);
		const words = line.split(/[\s,;]+/).filter((word) => word !== "");
		const addresses = words.filter((word) => word.includes("@"));
		if (addresses.length > 1) return addresses.map(buildPerson);
		const email = addresses[0] ?? "";
		const username = words.find((word) => !word.includes("@")) ?? buildPerson(email).username;
		return username === "" ? [] : [{ username, email }];
	});
}

/** Finds why a person cannot be invited, by the list alone. Returns null for no reason. */
export function findPersonProblem(people: readonly PastedPerson[], index: number): string | null {
	const person = people[index];
	if (person === undefined) return null;
	const { username, email } = person;
	if (email !== "" && !ADDRESS.test(email)) return `${email} is not an email address.`;
	if (!NAME.test(username)) return "The username needs 3 to 150 letters, digits and the characters . @ + - _";
	const before = people.slice(0, index);
	if (email !== "" && before.some((each) => each.email.toLowerCase() === email.toLowerCase()))
		return `${email} is in the list twice.`;
	if (before.some((each) => each.username.toLowerCase() === username.toLowerCase()))
		return `The username ${username} is in the list twice. Write another one before the address.`;
	return null;
}
