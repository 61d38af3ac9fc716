/** Search parameters as plain text: `?q=123` is the text 123, and a link reads as it was meant. */
import { parseSearchWith, stringifySearchWith } from "@tanstack/react-router";

export const parseSearch = parseSearchWith((value) => value);
export const stringifySearch = stringifySearchWith(
	(value) => String(value),
	(value) => value,
);

/** Takes the named parameters, and only those that are there. */
export function pickTextParams<Name extends string>(
	...names: Name[]
): (search: Record<string, unknown>) => Partial<Record<Name, string | undefined>> {
	return (search) => {
		const found: Record<string, string> = {};
		for (const name of names) {
			const value = search[name];
			if (value !== undefined && value !== null && value !== "") found[name] = String(value);
		}
		return found as Partial<Record<Name, string | undefined>>;
	};
}
