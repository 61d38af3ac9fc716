import { describe, expect, it } from "vitest";
import { createDraftStore, MAX_DRAFT_AGE_MS, MAX_DRAFT_CHARS, MAX_DRAFTS, openDraft } from "./drafts.ts";

/** The storage of a browser that holds a number of characters. */
function createStorage(chars = Number.POSITIVE_INFINITY) {
	const entries = new Map<string, string>();
	return {
		entries,
		get length() {
			return entries.size;
		},
		key: (index: number) => [...entries.keys()][index] ?? null,
		getItem: (key: string) => entries.get(key) ?? null,
		removeItem: (key: string) => void entries.delete(key),
		setItem(key: string, value: string) {
			const others = [...entries].filter(([name]) => name !== key).reduce((sum, [, text]) => sum + text.length, 0);
			if (others + value.length > chars) throw new Error("The quota is exceeded.");
			entries.set(key, value);
		},
	};
}

function createClock(start = 1_000_000) {
	let time = start;
	return { now: () => time, advance: (ms: number) => (time += ms) };
}

const createContent = (text: string) => ({ base: null, values: { text }, saved: {} });

describe("the store of drafts", () => {
	it("returns a draft in another page of the same browser", () => {
		const storage = createStorage();
		const store = createDraftStore({ storage: () => storage, now: () => 5 });
		store.write("1.schedule.new", createContent("nightly"));
		store.flush();
		const other = createDraftStore({ storage: () => storage, now: () => 6 });
		expect(other.read("1.schedule.new")).toEqual({ ...createContent("nightly"), at: 5 });
		expect(other.read("2.schedule.new")).toBeNull();
		other.remove("1.schedule.new");
		expect(storage.length).toBe(0);
	});

	it("returns a draft that is not written yet", () => {
		const storage = createStorage();
		const store = createDraftStore({ storage: () => storage, now: () => 5 });
		store.write("1.schedule.new", createContent("nightly"));
		expect(storage.length).toBe(0);
		expect(store.read("1.schedule.new")?.values).toEqual({ text: "nightly" });
		store.remove("1.schedule.new");
	});

	it("removes the oldest drafts above the greatest number", () => {
		const storage = createStorage();
		const clock = createClock();
		const store = createDraftStore({ storage: () => storage, now: clock.now });
		for (let index = 0; index <= MAX_DRAFTS; index++) {
			clock.advance(1);
			store.write(`1.check.${index}`, createContent("x"));
			store.flush();
		}
		expect(storage.length).toBe(MAX_DRAFTS);
		expect(store.read("1.check.0")).toBeNull();
		expect(store.read(`1.check.${MAX_DRAFTS}`)).not.toBeNull();
	});

	it("neither returns nor retains a draft that is too old", () => {
		const storage = createStorage();
		const clock = createClock();
		const store = createDraftStore({ storage: () => storage, now: clock.now });
		store.write("1.check.old", createContent("x"));
		store.flush();
		clock.advance(MAX_DRAFT_AGE_MS + 1);
		expect(store.read("1.check.old")).toBeNull();
		store.write("1.check.young", createContent("y"));
		store.flush();
		expect([...storage.entries.keys()]).toEqual(["weft.draft.1.check.young"]);
	});

	it("makes room in a full storage by removing the oldest draft", () => {
		const storage = createStorage(600);
		const clock = createClock();
		const store = createDraftStore({ storage: () => storage, now: clock.now });
		for (const name of ["a", "b", "c"]) {
			clock.advance(1);
			store.write(name, createContent("x".repeat(180)));
			store.flush();
		}
		expect(store.read("a")).toBeNull();
		expect(store.read("b")).not.toBeNull();
		expect(store.read("c")).not.toBeNull();
		expect(store.hasUnstored()).toBe(false);
	});

	it("holds a draft in memory if the browser stores nothing or the draft is too large", () => {
		const refusing = createDraftStore({
			storage() {
				throw new Error("Storage is forbidden.");
			},
			now: () => 5,
		});
		refusing.write("1.check.new", createContent("typed"));
		refusing.flush();
		expect(refusing.read("1.check.new")?.values).toEqual({ text: "typed" });
		expect(refusing.hasUnstored()).toBe(true);
		const storage = createStorage();
		const store = createDraftStore({ storage: () => storage, now: () => 5 });
		store.write("1.request.new", createContent("x".repeat(MAX_DRAFT_CHARS)));
		store.flush();
		expect(storage.length).toBe(0);
		expect(store.hasUnstored()).toBe(true);
		expect(store.read("1.request.new")).not.toBeNull();
	});
});

describe("the draft of a form", () => {
	const begin = (base: string | null = null) => {
		const storage = createStorage();
		const store = createDraftStore({ storage: () => storage, now: () => 5 });
		return { store, storage, open: (version = base) => openDraft(store, "1.check.7", version) };
	};

	it("restores changed fields over saved ones", () => {
		const { open } = begin();
		const first = open();
		first.begin("name", "saved");
		first.begin("size", 1);
		first.keep("name", "typed");
		first.keep("size", 1);
		const second = open();
		expect(second.restoredAt()).toBe(5);
		expect([second.begin("name", "saved"), second.begin("size", 2)]).toEqual(["typed", 2]);
		expect(second.isOutdated()).toBe(false);
	});

	it("is gone when every field has its saved value again", () => {
		const { store, open } = begin();
		const draft = open();
		draft.begin("name", "saved");
		draft.keep("name", "typed");
		expect(draft.isEmpty()).toBe(false);
		draft.keep("name", "saved");
		expect(draft.isEmpty()).toBe(true);
		expect(store.read("1.check.7")).toBeNull();
	});

	it("is outdated when the saved value of a changed field is another one", () => {
		const { open } = begin();
		const first = open();
		first.begin("name", "saved");
		first.begin("text", "a".repeat(100));
		first.keep("name", "typed");
		first.keep("text", "typed");
		const second = open();
		second.begin("name", "saved");
		expect(second.isOutdated()).toBe(false);
		second.begin("text", "b".repeat(100));
		expect(second.isOutdated()).toBe(true);
		second.drop();
		expect(second.isOutdated()).toBe(false);
	});

	it("remembers the version that it was begun on", () => {
		const { open } = begin("monday");
		const first = open();
		first.begin("name", "saved");
		first.keep("name", "typed");
		const second = open("tuesday");
		expect([second.base(), second.isOutdated()]).toEqual(["monday", true]);
		second.drop();
		expect(open("tuesday").base()).toBe("tuesday");
	});

	it("begins anew after it was saved, under the id that it was given", () => {
		const { store, open } = begin();
		const draft = open();
		draft.begin("name", "");
		draft.keep("name", "fab-dc1");
		draft.rename("1.check.8", null);
		draft.drop();
		draft.keep("name", "fab-dc1");
		expect(draft.isEmpty()).toBe(true);
		draft.keep("name", "fab-dc2");
		expect(store.read("1.check.7")).toBeNull();
		expect(store.read("1.check.8")?.values).toEqual({ name: "fab-dc2" });
	});

	it("can be stored again after it was discarded", () => {
		const { open } = begin();
		const draft = open();
		draft.begin("name", "");
		draft.keep("name", "typed");
		const restore = draft.drop();
		expect(open().restoredAt()).toBeNull();
		restore();
		expect(open().begin("name", "")).toBe("typed");
	});
});
