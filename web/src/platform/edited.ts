/** The edited copy of something saved. */
import { useState } from "react";

export interface Edited<T extends object> {
	readonly edited: T;
	/** The fields that differ from the saved ones. */
	readonly change: Partial<T>;
	readonly dirty: boolean;
	set(part: Partial<T>): void;
	discard(): void;
}

export function useEdited<T extends object>(saved: T): Edited<T> {
	const [edited, setEdited] = useState(saved);
	const change = Object.fromEntries(
		Object.entries(edited).filter(([name, value]) => !isSame(value, saved[name as keyof T])),
	) as Partial<T>;
	return {
		edited,
		change,
		dirty: Object.keys(change).length > 0,
		set: (part) => setEdited((before) => ({ ...before, ...part })),
		discard: () => setEdited(saved),
	};
}

/** A number that is being typed may be NaN for a while, which JSON writes as null. */
const isSame = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);
