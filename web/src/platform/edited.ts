/** The edited copy of something saved. Its changed fields are a part of the form's draft. */
import { useEffect, useState } from "react";
import { useDraft } from "./draft-state.ts";

interface Edited<T extends object> {
	readonly edited: T;
	/** The fields that differ from the saved ones. */
	readonly change: Partial<T>;
	readonly dirty: boolean;
	set(part: Partial<T>): void;
}

/** @param secrets fields that are never stored in a draft */
export function useEdited<T extends object>(saved: T, secrets: readonly (keyof T)[] = []): Edited<T> {
	const draft = useDraft();
	const isStored = (name: string) => !secrets.includes(name as keyof T);
	const [edited, setEdited] = useState(() =>
		draft === null
			? saved
			: (Object.fromEntries(
					Object.entries(saved).map(([name, value]) => [name, isStored(name) ? draft.begin(name, value) : value]),
				) as T),
	);
	const keep = () => {
		for (const [name, value] of Object.entries(edited)) if (isStored(name)) draft?.keep(name, value);
	};
	// biome-ignore lint/correctness/useExhaustiveDependencies: the names of the secrets are fixed
	useEffect(keep, [draft, edited]);
	const change = Object.fromEntries(
		Object.entries(edited).filter(([name, value]) => !isSame(value, saved[name as keyof T])),
	) as Partial<T>;
	return {
		edited,
		change,
		dirty: Object.keys(change).length > 0,
		set: (part) => setEdited((before) => ({ ...before, ...part })),
	};
}

/** A number that is being typed may be NaN for a while, which JSON writes as null. */
const isSame = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);
