/** `weft find` and `weft object`. */
import { expect, it } from "vitest";
import { useCli } from "./support/cli.ts";

const cli = useCli();

it("finds nothing in snapshots that are not there, and says what is wrong with the options", async () => {
	const none = await cli.weft("find", "10.1.1.1", "--format", "json");
	expect([none.code, JSON.parse(none.stdout)]).toEqual([0, []]);
	expect(await cli.weft("find", "web", "--group", "all")).toMatchObject({ code: 2 });
	expect(await cli.weft("find", "web", "--live")).toMatchObject({ code: 2 });
	expect(await cli.weft("object", "uni/tn-none", "--connection", "none")).toMatchObject({ code: 2 });
});

it("asks a controller for objects, and for one of them", async () => {
	cli.lab.clearFaults();
	const found = await cli.weft("find", "common", "--live", "--connection", "fab-1", "--format", "json");
	expect(found).toMatchObject({ code: 0 });
	expect(JSON.parse(found.stdout)[0]).toMatchObject({ dn: "uni/tn-common", connection: { name: "fab-1" } });
	const object = ["object", "uni/tn-common", "--connection", "fab-1", "--live", "--format", "json"];
	const shown = await cli.weft(...object);
	expect(JSON.parse(shown.stdout)).toMatchObject({ class_name: "fvTenant", live: { is_present: true } });
});
