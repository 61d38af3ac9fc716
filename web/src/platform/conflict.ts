/**
 * Finds out before a save whether the stored version is another one than the form began with. Only
 * fields that the save replaces count: changes of other fields are kept by the service.
 */
import { useRef } from "react";
import { UserError } from "./failures.ts";
import { formatValue } from "./value-text.ts";

interface FieldChange {
	/** Names from the outer field to the inner one, with dots between them. */
	readonly path: string;
	/** Values as text; null where there is none. */
	readonly old: string | null;
	readonly now: string | null;
}

/** The save would replace fields that were changed since they were read. Nothing is saved. */
export class SaveConflict<Stored = unknown> extends UserError {
	override readonly name = "SaveConflict";
	readonly read: Stored;
	readonly stored: Stored;
	readonly changes: readonly FieldChange[];
	/** Takes the stored version as read, so that the next save replaces it. */
	readonly accept: () => void;

	constructor(read: Stored, stored: Stored, changes: readonly FieldChange[], accept: () => void) {
		super("Changed elsewhere since you opened it.");
		this.read = read;
		this.stored = stored;
		this.changes = changes;
		this.accept = accept;
	}
}

export interface SaveGuard<Stored extends object> {
	/**
	 * Compares with the stored version.
	 * @param body the fields that the save replaces
	 * @throws SaveConflict if one of them was changed since it was read
	 */
	assertUnchanged(body: object): Promise<void>;
	/** The conflict with the stored version, whichever fields it is about. Null for a new object. */
	readConflict(body: object): Promise<SaveConflict<Stored> | null>;
	/** The version that the form is based on. */
	getRead(): Stored | null;
	/** After a save: the answer is what the form is based on from now on. */
	accept(stored: Stored): void;
}

/**
 * @param opened the version that the form begins with; null: a new one. Later values are ignored
 * @param fetchStored reads the stored version
 */
export function useSaveGuard<Stored extends object>(
	opened: Stored | null,
	fetchStored: (read: Stored) => Promise<Stored>,
): SaveGuard<Stored> {
	const read = useRef(opened);
	const accept = (stored: Stored) => {
		read.current = stored;
	};
	const readConflict = async (body: object) => {
		const before = read.current;
		if (before === null) return null;
		const stored = await fetchStored(before);
		return new SaveConflict(before, stored, findChanges(before, stored, Object.keys(body)), () => accept(stored));
	};
	return {
		accept,
		readConflict,
		getRead: () => read.current,
		async assertUnchanged(body) {
			const conflict = await readConflict(body);
			if (conflict !== null && conflict.changes.length > 0) throw conflict;
		},
	};
}

/** The changes of the named fields that both versions have, each at its innermost difference. */
export function findChanges(old: object, now: object, names: readonly string[]): FieldChange[] {
	const [before, after] = [old as Fields, now as Fields];
	return names.flatMap((name) =>
		Object.hasOwn(before, name) && Object.hasOwn(after, name) ? compareValues(name, before[name], after[name]) : [],
	);
}

type Fields = Readonly<Record<string, unknown>>;

function compareValues(path: string, old: unknown, now: unknown): FieldChange[] {
	const [before, after] = [readParts(old), readParts(now)];
	if (before !== null && after !== null) {
		const names = new Set([...before.keys(), ...after.keys()]);
		return [...names].flatMap((name) => compareValues(`${path}.${name}`, before.get(name), after.get(name)));
	}
	const [from, to] = [formatValue(old), formatValue(now)];
	return from === to ? [] : [{ path, old: from, now: to }];
}

/** Members of an object, or entries of a list of objects by their ids; null for other values. */
function readParts(value: unknown): Map<string, unknown> | null {
	if (Array.isArray(value)) {
		const isNamed = value.every((entry) => isFields(entry) && typeof entry.id === "string");
		return isNamed ? new Map(value.map((entry) => [entry.id, entry])) : null;
	}
	return isFields(value) ? new Map(Object.entries(value)) : null;
}

const isFields = (value: unknown): value is Fields =>
	typeof value === "object" && value !== null && !Array.isArray(value);
