/** Changes of objects, as those who watch see them. */
import type { Mo } from "./store/mo.ts";

export interface Change {
	readonly kind: "created" | "modified" | "deleted";
	readonly mo: Mo;
	/** The new values of a modified object. */
	readonly values: ReadonlyMap<string, string>;
	/** The values before, of a modified object. */
	readonly before: ReadonlyMap<string, string>;
}

export interface ChangeFeed {
	publish(changes: readonly Change[]): void;
	listen(listener: (changes: readonly Change[]) => void): void;
}

export function createChangeFeed(): ChangeFeed {
	const listeners: ((changes: readonly Change[]) => void)[] = [];
	return {
		publish(changes) {
			if (changes.length > 0) for (const listener of listeners) listener(changes);
		},
		listen: (listener) => void listeners.push(listener),
	};
}
