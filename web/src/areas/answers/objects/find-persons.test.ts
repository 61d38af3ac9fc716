import { describe, expect, it } from "vitest";
import { findPersons } from "./find-persons.ts";

const createRecord = (user: string) => ({
	user,
	at: "2026-01-01T00:00:00Z",
	action: "modified" as const,
	session: null,
});
const createChange = (at: string, before: string | null, after: string | null, user: string) => ({
	at,
	change: "modified" as const,
	attributes: [{ name: "mtu", before, after }],
	changed_by: [createRecord(user)],
});

describe("persons on the ticks of a lane", () => {
	const changes = [
		createChange("2026-01-05T00:00:00Z", "1500", "9000", "carol"),
		createChange("2026-01-03T00:00:00Z", "9000", "1500", "olga"),
		createChange("2026-01-01T00:00:00Z", "1500", "9000", "ada"),
	];

	it("names who made the equal change that is nearest in time", () => {
		const tick = { attribute: "mtu", before: "1500", after: "9000" };
		expect(findPersons(changes, { ...tick, at: "2026-01-01T01:00:00Z" })).toEqual(["ada"]);
		expect(findPersons(changes, { ...tick, at: "2026-01-06T00:00:00Z" })).toEqual(["carol"]);
	});

	it("names nobody for other attributes and values", () => {
		const at = "2026-01-01T00:00:00Z";
		expect(findPersons(changes, { attribute: "mtu", before: "1", after: "9000", at })).toEqual([]);
		expect(findPersons(changes, { attribute: "descr", before: "1500", after: "9000", at })).toEqual([]);
	});

	it("names who added or deleted the object on the lane of its presence", () => {
		const added = {
			at: "2026-01-01T00:00:00Z",
			change: "added" as const,
			attributes: [],
			changed_by: [createRecord("")],
		};
		const tick = { attribute: null, before: null, after: "there", at: added.at };
		expect(findPersons([added], tick)).toEqual(["unknown user"]);
		expect(findPersons([added], { ...tick, before: "there", after: null })).toEqual([]);
	});
});
