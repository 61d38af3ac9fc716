/** Commands through a web proxy. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buildClassNode, connectNodes, output, QUERIES } from "../../server/test/support/canvases.ts";
import { type ConnectProxy, startConnectProxy } from "../../server/test/support/connect-proxy.ts";
import { useCli } from "./support/cli.ts";

const cli = useCli();
let proxy: ConnectProxy;
beforeEach(async () => {
	proxy = await startConnectProxy();
});
afterEach(() => proxy.close());

/** The service by a name that only the proxy resolves. */
const findByName = (): string => cli.url.replace("127.0.0.1", "weft.test");

async function createToken(): Promise<string> {
	const made = await cli.weft("token", "create", `proxied ${proxy.url}`, "--format", "json");
	return JSON.parse(made.stdout).token;
}

describe("weft", () => {
	it.each(["WEFT_OUTGOING_PROXY", "HTTP_PROXY", "http_proxy"])("reaches the service through %s", async (name) => {
		const environment = { WEFT_URL: findByName(), WEFT_TOKEN: await createToken(), [name]: proxy.url };
		const listed = await cli.start(["connection", "list", "--format", "json"], { environment }).ended;
		expect(listed).toMatchObject({ code: 0, stderr: "" });
		expect(listed.stdout).toContain("fab-1");
		expect(new Set(proxy.targets)).toEqual(new Set([new URL(findByName()).host]));
	});

	it("follows a run through the proxy, over a socket", async () => {
		const environment = { WEFT_URL: findByName(), WEFT_TOKEN: await createToken(), HTTP_PROXY: proxy.url };
		const flow_data = connectNodes(buildClassNode("fvTenant"), output);
		expect(await cli.ada.api.post(QUERIES, { name: "Tenants", flow_data })).toMatchObject({ status: 201 });
		const args = ["query", "run", "Tenants", "--connection", "fab-1", "--format", "json"];
		const ran = await cli.start(args, { environment }).ended;
		expect(ran).toMatchObject({ code: 0 });
		expect(ran.stdout).toContain("uni/tn-");
	});

	it("reaches this computer directly", async () => {
		const environment = { WEFT_URL: cli.url, WEFT_TOKEN: await createToken(), HTTP_PROXY: proxy.url };
		expect(await cli.start(["connection", "list"], { environment }).ended).toMatchObject({ code: 0 });
		expect(proxy.targets).toEqual([]);
	});

	it("names the setting where the proxy has no valid address", async () => {
		const environment = { WEFT_URL: findByName(), WEFT_TOKEN: "weft_pat_x", WEFT_OUTGOING_PROXY: "socks4://proxy:1" };
		const ended = await cli.start(["connection", "list"], { environment }).ended;
		expect(ended.code).toBe(2);
		expect(ended.stderr).toContain("WEFT_OUTGOING_PROXY");
	});
});
