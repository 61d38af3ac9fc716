/** Comparing two fabrics without what names an object inside one of them. */
import { compareAnswer, identityAnswer } from "@weft/contracts";
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";

const TM = "/api/time-machine/";
const CLASSES = ["fvTenant", "fvCtx", "fvBD", "fvAEPg", "fvSubnet", "vzBrCP", "vzFilter", "l3extInstP", "fabricNode"];

type Row = Readonly<Record<string, { readonly attributes: Readonly<Record<string, string>> }>>;

let t: TestApp;
let ada: TestUser;
let lab: RunningController;
/** Every object of the classes, as the controller answers. */
let rows: readonly Row[];
beforeAll(async () => {
	[t, lab] = await Promise.all([startTestApp(), startController({ size: "small" })]);
	ada = await t.user("ada");
	rows = await readRows(lab);
});
afterAll(() => Promise.all([t.close(), lab.close()]));

async function readRows({ url, username, password }: RunningController): Promise<Row[]> {
	const credentials = { aaaUser: { attributes: { name: username, pwd: password } } };
	const login = await fetch(`${url}/api/aaaLogin.json`, { method: "POST", body: JSON.stringify(credentials) });
	const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
	const answers = await Promise.all(
		CLASSES.map(async (name) => (await fetch(`${url}/api/class/${name}.json`, { headers: { cookie } })).json()),
	);
	return (answers as { imdata: Row[] }[]).flatMap(({ imdata }) => imdata);
}

/** What another fabric of the same configuration answers: other ids, times and serial numbers. */
const createTwin = (row: Row): Row =>
	Object.fromEntries(
		Object.entries(row).map(([className, { attributes }]) => {
			const isSegment = /^(fvCtx|fvBD|fvAEPg|l3extInstP)$/.test(className);
			const changed = Object.entries(attributes).map(([name, value]) => {
				if (/^(uid|pcTag|seg|fwdId|revId|vrfId)$/.test(name) && /^\d+$/.test(value))
					return [name, String(Number(value) + 7)];
				if (name === "scope" && isSegment) return [name, String(Number(value) + 7)];
				if (name === "bcastP") return [name, "225.7.7.7"];
				if (name === "serial") return [name, `${value}7`];
				if (name === "modTs") return [name, "2026-01-01T00:00:00.000+00:00"];
				return [name, value];
			});
			return [className, { attributes: Object.fromEntries(changed) }];
		}),
	);

let serial = 0;
async function captureRows(captured: readonly Row[]): Promise<string> {
	const body = { query_name: `twin ${++serial}`, result_data: { imdata: captured } };
	return (await ada.api.post(`${TM}capture/`, body)).body.snapshot_id;
}

async function compareRows(from: readonly Row[], to: readonly Row[], body: object) {
	const [snapshot_from_id, snapshot_to_id] = [await captureRows(from), await captureRows(to)];
	const answer = await ada.api.post(`${TM}compare/`, { snapshot_from_id, snapshot_to_id, ...body });
	return compareAnswer.parse(answer.body);
}

describe("two fabrics that differ in nothing but ids", () => {
	it("differ in most objects where ids are compared", async () => {
		const { diff, ignored } = await compareRows(rows, rows.map(createTwin), { ignore_volatile: true });
		expect(diff.total_changes).toBeGreaterThan(rows.length / 2);
		expect(ignored.identity).toBe(false);
	});

	it.each([{ ignore_identity: true }, { match: "name" }])("are equal with %j", async (body) => {
		const { diff, ignored } = await compareRows(rows, rows.map(createTwin), { ignore_volatile: true, ...body });
		expect(diff).toMatchObject({ total_changes: 0, added: [], deleted: [], modified: [] });
		expect(ignored.identity).toBe(true);
	});

	it("show a setting that differs, and nothing beside it", async () => {
		const twins = rows.map(createTwin).map((row): Row => {
			const contract = row.vzBrCP;
			return contract?.attributes.dn === rows.find((given) => given.vzBrCP)?.vzBrCP?.attributes.dn && contract
				? { vzBrCP: { attributes: { ...contract.attributes, scope: "global" } } }
				: row;
		});
		const { diff } = await compareRows(rows, twins, { ignore_volatile: true, ignore_identity: true });
		expect(diff.modified.map(({ attribute_changes }) => attribute_changes.map(({ key }) => key))).toEqual([["scope"]]);
	});
});

it("lists the attributes with a reason each, and expressions that compile", async () => {
	const { rules } = identityAnswer.parse((await ada.api.get(`${TM}identity-attributes/`)).body);
	expect(rules).toContainEqual({ attribute: "pcTag", classes: null, reason: expect.any(String) });
	for (const { classes, reason } of rules) {
		expect(() => new RegExp(classes ?? "")).not.toThrow();
		expect(reason).toMatch(/^[A-Z].*\.$/);
	}
});
