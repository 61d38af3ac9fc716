/** Which passwords are accepted (interface decisions, section 2). */

export interface Person {
	readonly username: string;
	readonly email: string;
	readonly first_name: string;
	readonly last_name: string;
}

const NAMES = ["username", "email", "first_name", "last_name"] as const satisfies (keyof Person)[];
const MIN = 8;
const MAX = 256;
/** Parts of a name shorter than this say nothing about a password. */
const MIN_PART = 3;

/**
 * Error messages for the password's field; empty when it is accepted.
 * @param isCommon takes the lower-cased password
 */
export function listPasswordErrors(password: string, person: Person, isCommon: (lower: string) => boolean): string[] {
	const lower = password.toLowerCase();
	const errors: string[] = [];
	if ([...password].length < MIN) errors.push(`Must have at least ${MIN} characters.`);
	if ([...password].length > MAX) errors.push(`Must have at most ${MAX} characters.`);
	if (/^\d+$/.test(password)) errors.push("Must not consist of digits only.");
	if (isCommon(lower)) errors.push("Is one of the most common passwords.");
	for (const field of NAMES) {
		if (isSimilar(lower, person[field].toLowerCase())) errors.push(`Is too similar to the ${field.replace("_", " ")}.`);
	}
	return errors;
}

/** Whether one holds the other and little else. */
function isSimilar(password: string, value: string): boolean {
	return [value, ...value.split(/[^\p{L}\p{N}]+/u)].some((part) => {
		if (part.length < MIN_PART) return false;
		const covered = (password.split(part).length - 1) * part.length;
		return part.includes(password) || covered * 2 >= password.length;
	});
}
