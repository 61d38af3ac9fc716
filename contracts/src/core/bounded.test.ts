import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineDictionary, defineList } from "./bounded.ts";

/** A list whose entries nobody may look at. */
function createUnreadableList(length: number): unknown[] {
	const refuse = (): never => {
		throw new Error("an entry was looked at");
	};
	return new Proxy(Array.from({ length }), {
		get: (list, key) => (typeof key === "string" && /^\d+$/.test(key) ? refuse() : Reflect.get(list, key)),
		ownKeys: refuse,
	});
}

const getMessages = (schema: z.ZodType, value: unknown) =>
	schema.safeParse(value).error?.issues.map(({ path, message }) => [path, message]);

describe("a list that is too long", () => {
	it("is refused by its length alone", () => {
		const list = defineList(z.object({ a: z.string() }), { max: 3 }).refine(
			(entries) => entries.every(({ a }) => a !== ""),
			"Must not be empty.",
		);
		expect(getMessages(list, createUnreadableList(4))).toEqual([[[], "Must have at most 3 entries."]]);
		expect(getMessages(list, [{ a: "" }])).toEqual([[[], "Must not be empty."]]);
	});

	it("is no dictionary, whatever its length", () => {
		const dictionary = defineDictionary(z.unknown(), { max: 3, error: "Must be an object." });
		expect(getMessages(dictionary, createUnreadableList(4))).toEqual([[[], "Must be an object."]]);
	});
});
