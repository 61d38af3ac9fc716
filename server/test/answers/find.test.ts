/** Finding objects of kept snapshots by everything that names them, and who finds them. */
import { findAnswer } from "@weft/contracts";
import { beforeAll, describe, expect, it } from "vitest";
import type { TestUser } from "../support/harness.ts";
import { createObject, useObjectIndex } from "../support/object-index.ts";

const index = useObjectIndex(["find-ada", "find-bob"]);
const { createQuery, captureRows, updateIndexes } = index;
let ada: TestUser;
let bob: TestUser;
let A: string;
let B: string;
let query: string;

async function findAll(q: string, more = "", user = index.ada) {
	const answer = await user.api.get(`/api/find/?q=${encodeURIComponent(q)}${more}`);
	expect(answer.status).toBe(200);
	return findAnswer.parse(answer.body);
}
const findDns = async (q: string, more = "", user = index.ada) =>
	(await findAll(q, more, user)).objects.map(({ dn }) => dn);

const BD = "uni/tn-prod/BD-web";
const SUBNET = `${BD}/subnet-[10.1.1.1/24]`;
const WIDE = "uni/tn-prod/BD-all/subnet-[10.1.0.1/16]";
const ENDPOINT = "uni/tn-prod/ap-shop/epg-front/cep-00:50:56:AB:CD:EF";
const ADDRESS = `${ENDPOINT}/ip-[10.1.1.77]`;
const V6 = "uni/tn-prod/BD-web/subnet-[2001:DB8:0:0::1/64]";
const POOL = "uni/infra/vlanns-[prod]-static/from-[vlan-100]-to-[vlan-199]";
const PORT = "uni/tn-prod/ap-shop/epg-front/rspathAtt-[topology/pod-1/paths-101/pathep-[eth1/7]]";
const ROWS = [
	createObject("fvTenant", "uni/tn-prod", { name: "prod" }),
	createObject("fvBD", BD, { name: "web", nameAlias: "Web Shop", descr: "100%_of [web]", mac: "00:22:BD:F8:19:FF" }),
	createObject("fvSubnet", SUBNET, { ip: "10.1.1.1/24" }),
	createObject("fvSubnet", WIDE, { ip: "10.1.0.1/16" }),
	createObject("fvSubnet", V6, { ip: "2001:DB8:0:0::1/64" }),
	createObject("fvCEp", ENDPOINT, { name: "00:50:56:AB:CD:EF", mac: "00:50:56:AB:CD:EF", encap: "vlan-150" }),
	createObject("fvIp", ADDRESS, { addr: "10.1.1.77" }),
	createObject("fvnsEncapBlk", POOL, { from: "vlan-100", to: "vlan-199" }),
	createObject("fvRsPathAtt", PORT, { encap: "vlan-300", tDn: "topology/pod-1/paths-101/pathep-[eth1/7]" }),
];

beforeAll(async () => {
	({ ada, bob, A, B } = index);
	query = await createQuery();
	await captureRows(query, A, ROWS);
	await updateIndexes();
});

describe("find", () => {
	it("finds the endpoint of an address first, then its subnets, the longest prefix first", async () => {
		const answer = await findAll("10.1.1.77");
		expect(answer).toMatchObject({ kind: "ip", normalized: "10.1.1.77", total: 3, is_total_exact: true });
		expect(answer.objects.map(({ dn }) => dn)).toEqual([ADDRESS, SUBNET, WIDE]);
		expect(answer.objects[0]).toMatchObject({
			connection: { id: A, name: "fabric a" },
			class_name: "fvIp",
			label: "10.1.1.77",
			matched: { attribute: "addr", value: "10.1.1.77" },
			saved_query: { id: query },
			is_current: true,
		});
		expect(await findDns("2001:db8::77")).toEqual([V6]);
		expect(await findAll("2001:0DB8::0:77")).toMatchObject({ normalized: "2001:db8::77" });
	});

	it("finds what lies in a prefix", async () => {
		expect(await findAll("10.1.99.0/16")).toMatchObject({ kind: "prefix", normalized: "10.1.0.0/16" });
		expect(await findDns("10.1.0.0/16")).toEqual([WIDE, SUBNET, ADDRESS]);
		expect(await findDns("10.1.1.0/25")).toEqual([ADDRESS]);
	});

	it("finds a MAC address in every notation", async () => {
		for (const mac of ["00:50:56:ab:cd:ef", "00-50-56-AB-CD-EF", "0050.56ab.cdef", "005056abcdef"])
			expect(await findAll(mac)).toMatchObject({ kind: "mac", objects: [{ dn: ENDPOINT }] });
	});

	it("finds a VLAN where it is used, then in the ranges that contain it", async () => {
		for (const vlan of ["150", "vlan-150", "VLAN 150"])
			expect(await findAll(vlan)).toMatchObject({
				kind: "vlan",
				normalized: "vlan-150",
				objects: [{ dn: ENDPOINT }, { dn: POOL, matched: { attribute: "from", value: "vlan-100 - vlan-199" } }],
			});
		expect(await findDns("300")).toEqual([PORT]);
		expect(await findDns("999")).toEqual([]);
	});

	it("finds a DN, what lies below it, and what names it", async () => {
		const answer = await findAll(BD.toUpperCase().replace("UNI", "uni"));
		expect(answer.kind).toBe("dn");
		expect(answer.objects.map(({ dn }) => dn).slice(0, 3)).toEqual([BD, SUBNET, V6]);
		expect(await findDns("topology/pod-1/paths-101/pathep-[eth1/7]")).toContain(PORT);
	});

	it("ranks an equal name before a beginning, and that before a part; takes signs as they are", async () => {
		expect((await findDns("WEB"))[0]).toBe(BD);
		expect((await findDns("prod"))[0]).toBe("uni/tn-prod");
		expect(await findDns("b sho")).toEqual([BD]);
		expect(await findDns("100%_of")).toEqual([BD]);
		expect(await findDns("1_0%")).toEqual([]);
		expect((await findAll("uni", "&limit=2")).objects).toHaveLength(2);
		expect((await findAll("uni", "&limit=2")).total).toBe(ROWS.length);
	});

	it("looks inside of DNs where no name and no beginning of a DN has the text", async () => {
		expect(await findDns("epg-front/cep-00")).toEqual([ENDPOINT, ADDRESS]);
		expect(await findDns("tn-prod/BD-all")).toEqual([WIDE]);
		expect(await findDns("web")).toEqual([BD]);
		expect(await findDns("tn-prod/BD-web")).toEqual([BD, SUBNET, V6]);
	});

	it("takes the signs between words as they are, in names and inside of DNs", async () => {
		const signs = await createQuery();
		const below = "uni/tn-signs/epg-1/rspathAtt-[topology/pod-1/paths-9/pathep-[eth1/8]]/leaf-7";
		const vmm = "comp/prov-x/rsdom-[uni/vmmp-VMware/dom-z]/ctrlr-1";
		await captureRows(signs, A, [
			createObject("fvBD", "uni/tn-signs/BD-a", { name: "zone-3.east:q_1 [b]" }),
			createObject("fvBD", "uni/tn-signs/BD-b", { name: "zonez3weastxqv1kjbj" }),
			createObject("fvCEp", "uni/tn-signs/ap-s/epg-sign-3/cep-1", { name: "c1" }),
			createObject("fvCEp", "uni/tn-signs/ap-s/epg-sign-1/cep-3", { name: "c2" }),
			createObject("fvX", below, { name: "x" }),
			createObject("fvX", vmm, { name: "y" }),
		]);
		await updateIndexes();
		expect(await findDns("one-3.east:q_1 [b")).toEqual(["uni/tn-signs/BD-a"]);
		expect(await findDns("onez3weast")).toEqual(["uni/tn-signs/BD-b"]);
		expect(await findDns("one/3")).toEqual([]);
		expect(await findDns("sign-3/cep")).toEqual(["uni/tn-signs/ap-s/epg-sign-3/cep-1"]);
		expect(await findDns("signz3qcep")).toEqual([]);
		expect(await findDns("topology/pod-1/paths-9/pathep")).toEqual([below]);
		expect(await findDns("UNI/vmmp-vmware/")).toEqual([vmm]);
		expect(await findDns("uni/vmmp-vmware_")).toEqual([]);
	});

	it("counts up to its bound where only the DNs of very many objects have a text", async () => {
		const many = await createQuery();
		const rows = Array.from({ length: 1_100 }, (_, n) =>
			createObject("fvX", `uni/tn-crowd-a/x-${n}`, { name: `x${n}` }),
		);
		await captureRows(many, A, rows.slice(0, 1_000));
		await updateIndexes();
		expect(await findAll("crowd")).toMatchObject({ total: 1_000, is_total_exact: true });
		await captureRows(many, A, rows);
		await updateIndexes();
		expect(await findAll("crowd")).toMatchObject({ total: 1_001, is_total_exact: false });
	});

	it("shows objects of queries and connections that the caller sees only", async () => {
		expect(await findDns("10.1.1.77", "", bob)).toEqual([]);
		const open = await createQuery({ is_public: true });
		const hidden = "uni/tn-open/BD-b";
		await captureRows(open, A, [createObject("fvBD", "uni/tn-open/BD-a", { name: "visibility-a" })]);
		await captureRows(open, B, [createObject("fvBD", hidden, { name: "visibility-b" })]);
		await updateIndexes();
		expect(await findDns("visibility", "", bob)).toEqual(["uni/tn-open/BD-a"]);
		expect(await findDns("visibility")).toEqual(["uni/tn-open/BD-a", hidden]);
		expect(await findDns("visibility", `&connection=${B}`)).toEqual([hidden]);
		expect((await ada.api.get(`/api/find/?q=${"x".repeat(501)}`)).status).toBe(400);
	});

	it("answers once for each connection and DN, from the newest snapshot", async () => {
		const second = await createQuery();
		const newest = await captureRows(second, A, [createObject("fvTenant", "uni/tn-once", { name: "once" })]);
		const third = await createQuery();
		await captureRows(third, B, [createObject("fvTenant", "uni/tn-once", { name: "once" })]);
		await captureRows(query, A, [...ROWS, createObject("fvTenant", "uni/tn-once", { name: "once" })]);
		const last = await captureRows(second, A, [
			createObject("fvTenant", "uni/tn-once", { name: "once" }),
			createObject("fvTenant", "uni/tn-more", { name: "more" }),
		]);
		await updateIndexes();
		const { objects } = await findAll("once");
		expect(objects.map(({ connection, snapshot_id }) => [connection.name, snapshot_id])).toEqual([
			["fabric a", last],
			["fabric b", expect.any(String)],
		]);
		expect(last).not.toBe(newest);
	});

	it("says when a run last found an object, also where it found the rows of the snapshot again", async () => {
		const rows = [createObject("fvTenant", "uni/tn-again", { name: "again" })];
		const same = await createQuery();
		const snapshot = await captureRows(same, A, rows);
		await updateIndexes();
		const [first] = (await findAll("again")).objects;
		await index.t.clock.advance(60_000);
		const { body } = await ada.api.post("/api/time-machine/capture/", {
			saved_query_id: same,
			controller_connection_id: A,
			result_data: { imdata: rows },
		});
		expect(body).toMatchObject({ skipped: true, reason: "duplicate" });
		const [again] = (await findAll("again")).objects;
		expect(again).toMatchObject({ snapshot_id: snapshot, first_seen_at: first?.first_seen_at, is_current: true });
		const seen = new Date(index.t.clock.now()).toISOString();
		expect(again?.seen_at).toBe(seen);
		const object = await ada.api.get(`/api/objects/?connection=${A}&dn=uni/tn-again`);
		expect(object.body).toMatchObject({ seen_at: seen, last_seen_at: seen, first_seen_at: first?.first_seen_at });
	});

	it("asks no controller for a user without the right, and refuses a search without a place", async () => {
		expect((await ada.api.post("/api/find/live/", { q: "web" })).status).toBe(400);
		expect((await ada.api.get("/api/find/live/00000000-0000-4000-8000-000000000000/")).status).toBe(404);
	});
});
