/** Comparing two fabrics by the names of their objects. */
import { compareAnswer, compareLine, compareSummary } from "@weft/contracts";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { scaleCases } from "../support/effort.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";

const TM = "/api/time-machine/";
let t: TestApp;
let ada: TestUser;
beforeAll(async () => {
	t = await startTestApp();
	ada = await t.user("ada");
});
afterAll(() => t.close());

type Attributes = Readonly<Record<string, string>>;
const createRow = (kind: string, attributes: Attributes) => ({ [kind]: { attributes } });

let serial = 0;
async function captureRows(rows: readonly object[]): Promise<string> {
	const { body } = await ada.api.post(`${TM}capture/`, { query_name: `n ${++serial}`, result_data: { imdata: rows } });
	expect(body).toHaveProperty("snapshot_id");
	return body.snapshot_id;
}

async function postCompare(from: readonly object[], to: readonly object[], body: object = {}, query = "") {
	const sides = { snapshot_from_id: await captureRows(from), snapshot_to_id: await captureRows(to) };
	return ada.api.post(`${TM}compare/${query}`, { ...sides, match: "name", ...body });
}
const compareRows = async (...given: Parameters<typeof postCompare>) =>
	compareAnswer.parse((await postCompare(...given)).body);

it("tells the name and both dns of each entry, with the dn of the later side", async () => {
	const { diff, summary } = await compareRows(
		[
			createRow("ethpmPhysIf", { dn: "topology/pod-1/node-101/sys/phys-[eth1/1]", speed: "10G" }),
			createRow("fvBD", { dn: "uni/tn-a/BD-old" }),
		],
		[
			createRow("ethpmPhysIf", { dn: "topology/pod-2/node-201/sys/phys-[eth1/1]", speed: "40G" }),
			createRow("fvBD", { dn: "uni/tn-a/BD-new" }),
		],
	);
	const of = ({ key, dn, dn_from, dn_to }: (typeof diff.added)[number] | (typeof diff.modified)[number]) => ({
		key,
		dn,
		dn_from,
		dn_to,
	});
	expect(diff.modified.map(of)).toEqual([
		{
			key: "topology/pod-*/node-*/sys/phys-[eth1/1]",
			dn: "topology/pod-2/node-201/sys/phys-[eth1/1]",
			dn_from: "topology/pod-1/node-101/sys/phys-[eth1/1]",
			dn_to: "topology/pod-2/node-201/sys/phys-[eth1/1]",
		},
	]);
	expect(diff.modified[0]?.attribute_changes.map(({ key, old, new: now }) => [key, old, now])).toEqual([
		["speed", "10G", "40G"],
	]);
	const [old, now] = ["uni/tn-a/BD-old", "uni/tn-a/BD-new"];
	expect(diff.deleted.map(of)).toEqual([{ key: old, dn: old, dn_from: old, dn_to: null }]);
	expect(diff.added.map(of)).toEqual([{ key: now, dn: now, dn_from: null, dn_to: now }]);
	expect(summary).toEqual({
		ethpmPhysIf: { added: 0, deleted: 0, modified: 1 },
		fvBD: { added: 1, deleted: 1, modified: 0 },
	});
});

const createNode = (id: number, attributes: Attributes) =>
	createRow("fabricNode", { dn: `topology/pod-1/node-${id}`, id: String(id), ...attributes });

it("pairs objects that share a name by equal contents, then equal dns, then the order of dns", async () => {
	const from = [createNode(101, { role: "leaf" }), createNode(102, { role: "spine" }), createNode(103, { role: "x" })];
	const moved = await compareRows(from, [
		createNode(102, { role: "leaf" }),
		createNode(103, { role: "x" }),
		createNode(901, { role: "y" }),
	]);
	expect(moved.diff.modified.map(({ dn_from, dn_to }) => [dn_from, dn_to])).toEqual([
		["topology/pod-1/node-102", "topology/pod-1/node-901"],
	]);
	expect(moved.diff.total_changes).toBe(1);
	const grown = await compareRows(from, [
		createNode(100, { role: "a" }),
		createNode(101, { role: "b" }),
		createNode(102, { role: "c" }),
		createNode(103, { role: "d" }),
	]);
	expect(grown.diff.modified.map(({ dn_from, dn_to }) => dn_from === dn_to)).toEqual([true, true, true]);
	expect(grown.diff.added.map(({ dn }) => dn)).toEqual(["topology/pod-1/node-100"]);
	expect(grown.ignored.objects).toBe(0);
});

it("counts as ignored only what the given attributes leave out, in pairs of shared names too", async () => {
	const { diff, ignored } = await compareRows(
		[createNode(1, { role: "leaf", modTs: "1" }), createNode(2, { role: "spine", modTs: "2" })],
		[createNode(11, { role: "spine", modTs: "3" }), createNode(12, { role: "leaf", modTs: "4" })],
		{ ignore: ["modTs"] },
	);
	expect(diff.total_changes).toBe(0);
	expect(ignored.objects).toBe(0);
	const single = await compareRows(
		[createRow("fvBD", { dn: "uni/BD-a", modTs: "1" })],
		[createRow("fvBD", { dn: "uni/BD-a", modTs: "2" })],
		{
			ignore: ["modTs"],
		},
	);
	expect([single.diff.total_changes, single.ignored.objects]).toEqual([0, 1]);
});

it("by dn the same objects are added and deleted, and other values of match are refused", async () => {
	const [from, to] = [[createNode(1, { role: "leaf" })], [createNode(2, { role: "leaf" })]];
	expect((await compareRows(from, to, { match: "dn" })).diff.total_changes).toBe(2);
	expect((await compareRows(from, to, { match: "dn" })).diff.added[0]).not.toHaveProperty("key");
	const refused = await postCompare(from, to, { match: "id" });
	expect([refused.status, refused.body]).toEqual([400, { match: ["Must be dn or name."] }]);
});

interface Switch {
	readonly role: string;
	readonly ports: readonly string[];
}
const fabric = fc.array(
	fc.record({
		role: fc.constantFrom("leaf", "spine"),
		ports: fc.uniqueArray(fc.constantFrom("up", "down", "é"), { maxLength: 3 }),
	}),
	{ maxLength: 6 },
);
/** The rows of a fabric whose switches have the numbers in their order. */
const getRows = (switches: readonly Switch[], pod: number, numbers: readonly number[]): object[] => [
	createRow("fabricPod", { dn: `topology/pod-${pod}`, id: String(pod) }),
	...switches.flatMap(({ role, ports }, index) => {
		const dn = `topology/pod-${pod}/node-${numbers[index]}`;
		return [
			createRow("fabricNode", { dn, id: String(numbers[index]), role }),
			...ports.map((state, at) =>
				createRow("fvRsPathAtt", {
					dn: `uni/rspathAtt-[topology/pod-${pod}/paths-${numbers[index]}/pathep-[eth1/${at}]]`,
					tDn: `topology/pod-${pod}/paths-${numbers[index]}/pathep-[eth1/${at}]`,
					state,
				}),
			),
		];
	}),
];
const nodeNumbers = fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { minLength: 6, maxLength: 6 });

it("two copies of a fabric with other numbers of nodes and pods do not differ", async () => {
	await fc.assert(
		fc.asyncProperty(fabric, nodeNumbers, nodeNumbers, async (switches, one, other) => {
			const answer = await compareRows(getRows(switches, 1, one), getRows(switches, 2, other));
			expect(answer.diff.total_changes).toBe(0);
			expect(answer.summary).toEqual({});
		}),
		{ numRuns: scaleCases(10) },
	);
});

it("counts as a naive pairing by name and contents does, in each format", async () => {
	await fc.assert(
		fc.asyncProperty(fabric, fabric, nodeNumbers, nodeNumbers, async (before, after, one, other) => {
			const [from, to] = [getRows(before, 1, one), getRows(after, 2, other)];
			const expected = countNaively(from, to);
			const sides = { snapshot_from_id: await captureRows(from), snapshot_to_id: await captureRows(to), match: "name" };
			const whole = compareAnswer.parse((await ada.api.post(`${TM}compare/`, sides)).body);
			expect(whole.summary).toEqual(expected);
			const summary = compareSummary.parse((await ada.api.post(`${TM}compare/?format=summary`, sides)).body);
			expect(summary.summary).toEqual(expected);
			const lines = (await ada.api.post(`${TM}compare/?format=ndjson`, sides)).text.split("\n").filter(Boolean);
			const entries = lines.map((line) => compareLine.parse(JSON.parse(line)));
			expect(entries).toHaveLength(whole.diff.total_changes);
			const keys = entries.map(({ key }) => key ?? "");
			expect(keys).toEqual([...keys].sort());
		}),
		{ numRuns: scaleCases(10) },
	);
});

/** The counts by class: within a name, objects of equal contents are taken out first. */
function countNaively(from: readonly object[], to: readonly object[]) {
	const simple = (rows: readonly object[]) =>
		rows.map((one) => {
			const [[kind, { attributes }]] = Object.entries(one) as [[string, { attributes: Attributes }]];
			const text = JSON.stringify({ ...attributes, id: "" }).replace(/(pod|node|paths)-\d+/g, "$1-*");
			return { kind, text, name: JSON.parse(text).dn as string };
		});
	const [left, right] = [simple(from), simple(to)];
	for (const one of [...left]) {
		const at = right.findIndex(({ text }) => text === one.text);
		if (at < 0) continue;
		right.splice(at, 1);
		left.splice(left.indexOf(one), 1);
	}
	const summary: Record<string, { added: number; deleted: number; modified: number }> = {};
	for (const name of new Set([...left, ...right].map((one) => one.name))) {
		const [olds, news] = [left, right].map((side) => side.filter((one) => one.name === name).length) as [
			number,
			number,
		];
		const kind = [...left, ...right].find((one) => one.name === name)?.kind ?? "";
		const { added, deleted, modified } = summary[kind] ?? { added: 0, deleted: 0, modified: 0 };
		summary[kind] = {
			added: added + Math.max(0, news - olds),
			deleted: deleted + Math.max(0, olds - news),
			modified: modified + Math.min(olds, news),
		};
	}
	return summary;
}
