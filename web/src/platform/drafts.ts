/**
 * Unsaved input of forms, stored in this browser until it is saved or discarded. Each user has
 * drafts of their own. Number, size and age are limited; the oldest are removed first.
 */

/** The changed fields of one form. */
interface StoredDraft {
	/** Milliseconds since 1970. */
	readonly at: number;
	/** The version of the edited thing that the input was begun on; null: unknown or a new thing. */
	readonly base: string | null;
	readonly values: Readonly<Record<string, unknown>>;
	/** Fingerprints of the saved values that the changed fields replace. */
	readonly saved: Readonly<Record<string, string>>;
}

interface DraftStoreOptions {
	/** Null where the browser stores nothing. May throw. */
	storage(): Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length"> | null;
	now(): number;
}

export const MAX_DRAFTS = 50;
export const MAX_DRAFT_AGE_MS = 14 * 86_400_000;
/** Upper bound of the characters of all drafts; browsers store about five million. */
export const MAX_DRAFT_CHARS = 2_000_000;
const PREFIX = "weft.draft.";
/** Pause in typing after which a draft is written, in milliseconds. */
const PAUSE_MS = 400;

export function createDraftStore({ storage, now }: DraftStoreOptions) {
	/** Drafts that are not stored yet, or that the browser refuses to store. */
	const unstored = new Map<string, StoredDraft>();
	let timer: ReturnType<typeof setTimeout> | undefined;

	function withStorage<T>(work: (target: NonNullable<ReturnType<typeof storage>>) => T): T | null {
		try {
			const target = storage();
			return target === null ? null : work(target);
		} catch {
			// A browser that stores nothing keeps drafts in memory only.
			return null;
		}
	}

	/** Every stored draft, the newest first. The text begins with the time. */
	function listDrafts(target: NonNullable<ReturnType<typeof storage>>) {
		return Array.from({ length: target.length }, (_, index) => target.key(index))
			.filter((key): key is string => key?.startsWith(PREFIX) === true)
			.map((key) => {
				const text = target.getItem(key) ?? "";
				return { key, at: Number.parseInt(text, 10) || 0, chars: text.length };
			})
			.sort((a, b) => b.at - a.at);
	}

	function pruneDrafts(): void {
		withStorage((target) => {
			let chars = 0;
			for (const [index, each] of listDrafts(target).entries()) {
				chars += each.chars;
				const isExcess = index >= MAX_DRAFTS || chars > MAX_DRAFT_CHARS || now() - each.at > MAX_DRAFT_AGE_MS;
				if (isExcess) target.removeItem(each.key);
			}
		});
	}

	/** @returns false if the draft is too large, or the browser refuses it */
	function storeDraft(name: string, draft: StoredDraft): boolean {
		const text = `${draft.at} ${JSON.stringify(draft)}`;
		if (text.length > MAX_DRAFT_CHARS) return false;
		const attempt = () => withStorage((target) => target.setItem(PREFIX + name, text)) !== null;
		if (attempt()) return true;
		const others = withStorage((target) => listDrafts(target).filter(({ key }) => key !== PREFIX + name)) ?? [];
		return others.reverse().some(({ key }) => {
			withStorage((target) => target.removeItem(key));
			return attempt();
		});
	}

	function flushDrafts(): void {
		clearTimeout(timer);
		timer = undefined;
		if (unstored.size === 0) return;
		for (const [name, draft] of unstored) if (storeDraft(name, draft)) unstored.delete(name);
		pruneDrafts();
	}

	return {
		/** Writes drafts that are not stored yet, at once. */
		flush: flushDrafts,

		/** Whether a draft is in memory only, although it was to be stored. */
		hasUnstored: (): boolean => unstored.size > 0,

		read(name: string): StoredDraft | null {
			const waiting = unstored.get(name);
			if (waiting !== undefined) return waiting;
			const text = withStorage((target) => target.getItem(PREFIX + name));
			if (text === null) return null;
			try {
				const draft = JSON.parse(text.slice(text.indexOf(" ") + 1)) as StoredDraft;
				return now() - draft.at > MAX_DRAFT_AGE_MS ? null : draft;
			} catch {
				return null;
			}
		},

		/** Takes a draft over at once and writes it after a pause in typing. */
		write(name: string, draft: Omit<StoredDraft, "at">): void {
			unstored.set(name, { ...draft, at: now() });
			timer ??= setTimeout(flushDrafts, PAUSE_MS);
		},

		remove(name: string): void {
			unstored.delete(name);
			withStorage((target) => target.removeItem(PREFIX + name));
		},
	};
}

type DraftStore = ReturnType<typeof createDraftStore>;

/** The draft of one open form. */
export interface Draft {
	/** When the restored input was typed, in milliseconds since 1970; null: none was restored. */
	restoredAt(): number | null;
	/** Whether something was saved after the restored input had been begun. */
	isOutdated(): boolean;
	/** The version of the edited thing that the input was begun on. */
	base(): string | null;
	/** Registers a field with its saved value. Returns the restored value, else the saved one. */
	begin<T>(field: string, saved: T): T;
	/** Stores the present value of a field, unless it is the saved one. */
	keep(field: string, value: unknown): void;
	isEmpty(): boolean;
	/**
	 * Forgets the input: it was saved or discarded. Present values count as saved ones.
	 * @returns stores the input again, for the next time that the form is opened
	 */
	drop(): () => void;
	/**
	 * Continues under another name, as a new thing does that has got its id. Input that was typed
	 * before keeps the former name.
	 */
	rename(name: string, base: string | null): void;
	subscribe(listener: () => void): () => void;
}

/** @param name of the user, the form and the edited thing */
export function openDraft(store: DraftStore, name: string, base: string | null): Draft {
	const found = store.read(name);
	const values = new Map(Object.entries(found?.values ?? {}));
	const replaced = new Map(Object.entries(found?.saved ?? {}));
	const saved = new Map<string, unknown>();
	const present = new Map<string, unknown>();
	const listeners = new Set<() => void>();
	let at = found?.at ?? null;
	let outdated = found !== null && found.base !== base;
	/** The present name and version of the edited thing, for input that is begun from now on. */
	let latest = { name, base };
	let own = { name, base: found === null ? base : found.base };

	function notifyListeners(): void {
		for (const listener of listeners) listener();
	}

	function clearDraft(): void {
		const isRestored = at !== null;
		values.clear();
		replaced.clear();
		store.remove(own.name);
		own = latest;
		at = null;
		outdated = false;
		if (isRestored) notifyListeners();
	}

	const readContent = () => ({
		base: own.base,
		values: Object.fromEntries(values),
		saved: Object.fromEntries(replaced),
	});

	return {
		restoredAt: () => at,
		isOutdated: () => outdated,
		base: () => own.base,
		begin<T>(field: string, initial: T): T {
			if (!saved.has(field)) {
				saved.set(field, initial);
				present.set(field, values.has(field) ? values.get(field) : initial);
				if (values.has(field) && !outdated && replaced.get(field) !== computeFingerprint(initial)) {
					outdated = true;
					// A component that is drawn now must not change another one.
					queueMicrotask(notifyListeners);
				}
			}
			return values.has(field) ? (values.get(field) as T) : initial;
		},
		keep(field, value) {
			if (isSame(value, present.get(field))) return;
			present.set(field, value);
			if (isSame(value, saved.get(field))) values.delete(field);
			else {
				if (!values.has(field)) replaced.set(field, computeFingerprint(saved.get(field)));
				values.set(field, value);
			}
			if (values.size === 0) clearDraft();
			else store.write(own.name, readContent());
		},
		isEmpty: () => values.size === 0,
		drop() {
			const { name: former } = own;
			const content = readContent();
			for (const [field, value] of present) saved.set(field, value);
			clearDraft();
			return () => store.write(former, content);
		},
		rename(next, version) {
			latest = { name: next, base: version };
			if (values.size === 0) own = latest;
		},
		subscribe(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
	};
}

const isSame = (a: unknown, b: unknown): boolean =>
	a === b || (a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b));

const MAX_VERBATIM = 64;

/** A short text for comparisons: the JSON, or its length and a 32-bit FNV-1a hash. */
function computeFingerprint(value: unknown): string {
	const text = JSON.stringify(value) ?? "";
	if (text.length <= MAX_VERBATIM) return text;
	let hash = 0x811c9dc5;
	for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
	return `${text.length}:${hash >>> 0}`;
}
