/**
 * Recorded answers of real controllers as histories: an answer, and itself after a drift, through
 * every read, against plain documents.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { blameAnswer, compareAnswer, compareLine, timelinesAnswer } from "@weft/contracts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";

const RECORDED = new URL("../../../../shared/data/controller/answers/", import.meta.url);
const TM = "/api/time-machine/";
const MOST_BYTES = 200_000;

type Attributes = Record<string, unknown>;
interface Managed {
	attributes?: Attributes;
	children?: Row[];
}
type Row = Record<string, Managed>;
interface Answer {
	imdata: Row[];
}

/** One answer of each class, the largest that is not too large. */
function readAnswers(): [string, string][] {
	const byClass = new Map<string, { file: string; bytes: number }>();
	for (const file of readdirSync(RECORDED).filter((name) => name.endsWith(".json"))) {
		const name = file.split("--")[1] ?? file;
		const bytes = statSync(new URL(file, RECORDED)).size;
		if (bytes <= MOST_BYTES && bytes > (byClass.get(name)?.bytes ?? 0)) byClass.set(name, { file, bytes });
	}
	return [...byClass].map(([name, { file }]) => [name, readFileSync(new URL(file, RECORDED), "utf8")]);
}

/**
 * Objects by dn, as the Time Machine takes them: children that have a dn, or an rn below one, are
 * objects of their own.
 */
function getObjects(answer: Answer): Map<string, Set<string>> {
	const found = new Map<string, Set<string>>();
	function visitRow(row: Row, above: string | null): boolean {
		const [name, body] = Object.entries(row)[0] ?? ["", {}];
		const { dn: own, rn } = body.attributes ?? {};
		const dn = (own as string) || (above !== null && rn ? `${above}/${rn}` : null);
		const part = (body.children ?? []).filter((child) => !visitRow(child, dn));
		if (dn === null) return false;
		const content = formatCanonical({
			[name]: { ...body, ...(body.children && { children: part.map(formatCanonical).sort() }) },
		});
		found.set(dn, (found.get(dn) ?? new Set()).add(content.replace(/,"children":\[\]/, "")));
		return true;
	}
	for (const row of answer.imdata) visitRow(row, null);
	return found;
}

function formatCanonical(value: unknown): string {
	return JSON.stringify(value, (_key, one) =>
		typeof one === "object" && one !== null && !Array.isArray(one)
			? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
			: one,
	);
}

/** Every fifth row has another value, every seventh is gone, and there is a new one. */
function readDrift({ imdata }: Answer): Answer {
	const rows = imdata.flatMap((row, at): Row[] => {
		if (at % 7 === 6) return [];
		const [name, body] = Object.entries(row)[0] ?? ["", {}];
		return at % 5 === 0
			? [{ [name]: { ...body, attributes: { ...body.attributes, modTs: "drift", ü: "neu" } } }]
			: [row];
	});
	return { imdata: [...rows, { fvTenant: { attributes: { dn: "uni/tn-[ü/😀]", name: "ü" } } }] };
}

let t: TestApp;
let ada: TestUser;
beforeAll(async () => {
	t = await startTestApp();
	ada = await t.user("ada");
});
afterAll(() => t.close());

it.skipIf(!existsSync(RECORDED))(
	"each class: what differs and what changed last is what plain documents tell (skipped where the answers are absent)",
	async () => {
		const all = readAnswers();
		expect(all.length).toBeGreaterThan(20);
		let compared = 0;
		for (const [name, text] of all) {
			const made = await ada.api.post("/api/queries/saved-queries/", {
				name: `recorded ${name}`,
				flow_data: { nodes: [], edges: [] },
				enable_time_machine: true,
			});
			const before = JSON.parse(text) as Answer;
			const after = readDrift(before);
			const ids: string[] = [];
			for (const result_data of [before, after]) {
				await t.clock.advance(1000);
				const { body } = await ada.api.post(`${TM}capture/`, { saved_query_id: made.body.id, result_data });
				if (body.success) ids.push(body.snapshot_id);
			}
			// What a controller answers when it cannot is not captured.
			if (ids.length < 2) continue;
			compared++;
			const [old, now] = [getObjects(before), getObjects(after)];
			const expected = { added: new Set<string>(), deleted: new Set<string>(), modified: new Set<string>() };
			for (const dn of new Set([...old.keys(), ...now.keys()])) {
				const [left, right] = [old.get(dn) ?? new Set(), now.get(dn) ?? new Set()];
				const gone = [...left].filter((one) => !right.has(one)).length;
				const came = [...right].filter((one) => !left.has(one)).length;
				if (gone > 0 && came > 0) expected.modified.add(dn);
				if (came > gone) expected.added.add(dn);
				if (gone > came) expected.deleted.add(dn);
			}
			const body = { snapshot_from_id: ids[0], snapshot_to_id: ids[1] };
			const { diff } = compareAnswer.parse((await ada.api.post(`${TM}compare/`, body)).body);
			const dns = (entries: { dn: string }[]) => new Set(entries.map(({ dn }) => dn));
			expect({ added: dns(diff.added), deleted: dns(diff.deleted), modified: dns(diff.modified) }, name).toEqual(
				expected,
			);
			const lines = (await ada.api.post(`${TM}compare/?format=ndjson`, body)).text.trimEnd().split("\n");
			expect(lines.map((line) => compareLine.parse(JSON.parse(line)))).toHaveLength(diff.total_changes);
			const ignoring = { ...body, ignore: ["modTs", "ü"] };
			const { summary, ignored } = (await ada.api.post(`${TM}compare/?format=summary`, ignoring)).body;
			expect(ignored.objects, name).toBe(diff.modified.length);
			expect(
				Object.values(summary as Record<string, { modified: number }>).every(({ modified }) => modified === 0),
			).toBe(true);

			const [changed] = diff.modified.filter(({ dn }) => old.get(dn)?.size === 1 && now.get(dn)?.size === 1);
			if (changed === undefined) continue;
			const search = `saved_query_id=${made.body.id}&dn`;
			const { attributes } = blameAnswer.parse(
				(await ada.api.get(`${TM}blame/?${search}=${encodeURIComponent(changed.dn)}`)).body,
			);
			const moved = attributes.filter((one) => one.changed);
			expect(moved.map(({ attribute, value, previous }) => ({ key: attribute, old: previous, new: value }))).toEqual(
				changed.attribute_changes.map(({ key, old: was, new: is }) => ({ key, old: was, new: is })),
			);
			expect(moved.every(({ snapshot_id }) => snapshot_id === ids[1])).toBe(true);
			const asked = encodeURIComponent(JSON.stringify([changed.dn, "uni/tn-[ü/😀]"]));
			const { timelines } = timelinesAnswer.parse((await ada.api.get(`${TM}timeline/?${search}s=${asked}`)).body);
			expect(timelines.map(({ points }) => points.map(({ present }) => present))).toEqual([
				...[
					[true, true],
					[false, true],
				],
			]);
		}
		expect(compared).toBeGreaterThan(20);
	},
	240_000,
);
