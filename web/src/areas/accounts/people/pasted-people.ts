/** People as they are pasted into the form of an invitation: one a line. */

interface PastedPerson {
	readonly username: string;
	/** Empty: none was given. */
	readonly email: string;
}

/**
 * Parses lines of a username, an email address, or both in any order, separated by commas,
 * semicolons, tabs or spaces; `Name <address>` counts by its address. Without a username the part
 * before the `@` is taken.
 */
export function parsePeople(text: string): PastedPerson[] {
	return text.split(/\r?\n/).flatMap((line) => {
		const angled = /<([^<>\s]+@[^<>\s]+)>/.exec(line)?.[1];
		const words = angled === undefined ? line.split(/[\s,;]+/).filter((word) => word !== "") : [angled];
		const email = words.find((word) => word.includes("@")) ?? "";
		const username = words.find((word) => !word.includes("@")) ?? email.split("@")[0] ?? "";
		return username === "" ? [] : [{ username, email }];
	});
}
