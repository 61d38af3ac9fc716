/** The nine questions of an engineer, as far as a terminal can answer them, on two fabrics. */
import type { CompareAnswer, FeedEntry, FoundObject, ObjectAnswer } from "@weft/contracts";
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection, buildClassNode, connectNodes, output, QUERIES } from "../../server/test/support/canvases.ts";
import { waitUntil } from "../../server/test/support/harness.ts";
import { useCli } from "./support/cli.ts";

const cli = useCli();
let other: RunningController;
const BOTH = ["--connection", "fab-1", "--connection", "fab-2"];
const BD = "uni/tn-Shop/BD-checkout";
const MAC = "00:50:56:AB:CD:21";
const ENDPOINT = `uni/tn-Shop/ap-shop/epg-till/cep-${MAC}`;
const LONELY = "uni/tn-Shop/ap-shop/epg-kiosk";
const UPLINK = "topology/pod-1/node-101/sys/phys-[eth1/12]/phys";

const buildObject = (name: string, attributes: object, children: object[] = []) => ({
	[name]: { attributes, children },
});

/** Writes below `uni` as a person at the controller would. */
async function writeFabric({ url, username: name, password: pwd }: RunningController, body: object): Promise<void> {
	const post = (path: string, content: object, cookie: string) =>
		fetch(`${url}/api/${path}.json`, { method: "POST", headers: { cookie }, body: JSON.stringify(content) });
	const login = await post("aaaLogin", { aaaUser: { attributes: { name, pwd } } }, "");
	const answer = await post("mo/uni", body, login.headers.get("set-cookie")?.split(";")[0] ?? "");
	expect(answer.status, await answer.text()).toBe(200);
}

const writeDomain = (lab: RunningController, unicastRoute: string) =>
	writeFabric(
		lab,
		buildObject("fvTenant", { name: "Shop" }, [
			buildObject("fvBD", { name: "checkout", unicastRoute }, [buildObject("fvSubnet", { ip: "10.70.1.1/24" })]),
			buildObject("fvAp", { name: "shop" }, [buildObject("fvAEPg", { name: "kiosk" })]),
		]),
	);

/** Standard output of a command that ends well, as JSON. */
async function askJson<T>(...args: string[]): Promise<T> {
	const { code, stdout, stderr } = await cli.weft(...args, "--format", "json");
	expect(code, stderr).toBe(0);
	return JSON.parse(stdout) as T;
}

beforeAll(async () => {
	other = await startController({ size: "small", fabric: 2 });
	await addConnection(cli.ada.api, other, { name: "fab-2" });
	// The second fabric has handed out ids before: those of its objects are others.
	await writeFabric(other, buildObject("fvTenant", { name: "Before" }, [buildObject("fvBD", { name: "first" })]));
	for (const lab of [cli.lab, other]) await writeDomain(lab, "yes");
	const place = { fabricPathDn: "topology/pod-1/paths-101/pathep-[eth1/3]" };
	cli.lab.load([
		buildObject("fvCEp", { ...place, dn: ENDPOINT, mac: MAC, ip: "10.70.1.21", name: MAC }),
		buildObject("ethpmPhysIf", { dn: UPLINK, operSt: "down", operStQual: "link-failure", usage: "fabric" }),
	]);
	const queries = [
		{ name: "Domains", flow_data: connectNodes(buildClassNode("fvBD"), output) },
		{ name: "Endpoints", flow_data: connectNodes(buildClassNode("fvCEp"), output) },
	];
	for (const query of queries)
		expect((await cli.ada.api.post(QUERIES, { ...query, enable_time_machine: true })).status).toBe(201);
	for (const fabric of ["fab-1", "fab-2"])
		for (const { name } of queries) await cli.weft("snapshot", "capture", name, "--connection", fabric);
	await writeDomain(cli.lab, "no");
	await cli.weft("snapshot", "capture", "Domains", "--connection", "fab-1");
	await waitUntil("the change has its person", async () =>
		(await askJson<FeedEntry[]>("changes")).some(({ dn, changed_by }) => dn === BD && changed_by.length > 0),
	);
});
afterAll(() => other?.close());

describe("a question of an engineer in a terminal", () => {
	it("answers what changed since yesterday by weft changes", async () => {
		const changes = await askJson<FeedEntry[]>("changes", "--since", "1 day ago");
		expect(changes).toMatchObject([
			{
				dn: BD,
				change: "modified",
				connection: { name: "fab-1" },
				attributes: [{ name: "unicastRoute", before: "yes", after: "no" }],
			},
		]);
	});

	it("answers who changed a bridge domain by weft find and weft object", async () => {
		const [found] = await askJson<FoundObject[]>("find", "checkout");
		expect(found).toMatchObject({ dn: BD, connection: { name: "fab-1" } });
		const { changes } = await askJson<ObjectAnswer>("object", BD, "--connection", "fab-1");
		expect(changes[0]).toMatchObject({
			change: "modified",
			attributes: [{ name: "unicastRoute", before: "yes", after: "no" }],
			changed_by: expect.arrayContaining([expect.objectContaining({ action: "modified", user: cli.lab.username })]),
		});
	});

	it("answers where a MAC or an IP address is by weft find", async () => {
		for (const text of ["0050.56ab.cd21", "10.70.1.21"]) {
			const [found] = await askJson<FoundObject[]>("find", text);
			expect(found).toMatchObject({ dn: ENDPOINT, class_name: "fvCEp", connection: { name: "fab-1" } });
		}
		const { attributes } = await askJson<ObjectAnswer>("object", ENDPOINT, "--connection", "fab-1");
		expect(attributes).toContainEqual(
			expect.objectContaining({ name: "fabricPathDn", value: "topology/pod-1/paths-101/pathep-[eth1/3]" }),
		);
	});

	it("reports an uplink that goes down after weft check add", async () => {
		const added = await cli.weft("check", "add", "fabric-ports-up", "--connection", "fab-1", "--every", "5m");
		expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^watched +true$/m) });
	});

	it("answers which EPGs have no contract by weft question run", async () => {
		const rows = await askJson<object[]>("question", "run", "epgs-without-contract", ...BOTH);
		expect(rows).toMatchObject(["fab-1", "fab-2"].map((connection) => ({ connection, epg: "kiosk", dn: LONELY })));
	});

	it("answers what differs between two fabrics by weft snapshot compare, without ids", async () => {
		const between = ["--query", "Domains", "--connection", "fab-1", "--to-connection", "fab-2"];
		const { diff } = await askJson<CompareAnswer>("snapshot", "compare", ...between, "--ignore-volatile");
		const found = diff.modified.find(({ dn }) => dn === BD);
		expect(found?.attribute_changes).toMatchObject([{ key: "unicastRoute", old: "no", new: "yes" }]);
		const keys = diff.modified.flatMap(({ attribute_changes }) => attribute_changes.map(({ key }) => key));
		for (const id of ["pcTag", "seg", "uid", "bcastP"]) expect(keys).not.toContain(id);
		expect(diff.added.map(({ dn }) => dn)).toContain("uni/tn-Before/BD-first");
	});

	it("answers whether anything is wrong by weft check list", async () => {
		const list = () => cli.weft("check", "list", "--exit-code");
		const violates = async () => /fab-1 \(1\)/.test((await list()).stdout);
		await waitUntil("the check is evaluated", violates);
		expect((await list()).stdout).toMatch(/^pending +warning +No uplink between leaf and spine is down +fab-1 \(1\)/m);
		expect((await list()).code).toBe(0);
		await cli.weft("query", "run", "No uplink between leaf and spine is down", "--connection", "fab-1");
		await waitUntil("the second violation is evaluated", async () => (await list()).code === 1);
		const failing = await cli.weft("check", "list", "--state", "failing", "--format", "junit");
		expect(failing.stdout).toContain('<failure message="failing: 1 violation"');
		expect((await cli.weft("check", "list", "--severity", "critical", "--exit-code")).code).toBe(0);
		expect(await cli.weft("check", "list", "--connection", "fab-9")).toMatchObject({ code: 2 });
	});
});
