/**
 * A controller with any number of objects of one class, as a process. It answers logins and pages
 * only, and as fast as it can, so that what reads from it is measured.
 */
import { createServer } from "node:http";

const HEADERS = { "content-type": "application/json" };
/** A row of the class, with the place of the object instead of `#`. */
const ROW = JSON.stringify({
	fvAEPg: {
		attributes: {
			annotation: "",
			childAction: "",
			configSt: "applied",
			descr: "owned by team 7",
			dn: "uni/tn-tenant-7/ap-app-3/epg-web-#",
			floodOnEncap: "disabled",
			lcOwn: "local",
			matchT: "AtleastOne",
			modTs: "2026-01-01T00:00:00.000+00:00",
			name: "web-#",
			nameAlias: "",
			pcEnfPref: "unenforced",
			pcTag: "16386",
			prefGrMemb: "exclude",
			prio: "unspecified",
			scope: "2949120",
			status: "",
			triggerSt: "triggerable",
			txId: "5764607523034234882",
			uid: "15374",
		},
	},
}).split("#");

const login = {
	aaaLogin: {
		attributes: {
			token: "a-token",
			refreshTimeoutSeconds: "600",
			maximumLifetimeSeconds: "86400",
			version: "6.0(2h)",
			node: "topology/pod-1/node-1",
		},
	},
};
let objects = 0;

/** @param limit the number of objects that the page may have */
function buildPage(page: number, limit: number): string {
	const rows: string[] = [];
	for (let i = page * limit; i < Math.min(objects, (page + 1) * limit); i += 1) {
		rows.push(ROW.join(String(i).padStart(7, "0")));
	}
	return `{"totalCount":"${objects}","imdata":[${rows.join(",")}]}`;
}

const server = createServer((request, response) => {
	const { pathname, searchParams } = new URL(request.url ?? "/", "http://controller");
	request.resume();
	if (pathname === "/objects") objects = Number(searchParams.get("count"));
	const isRead = pathname === "/api/class/fvAEPg.json";
	const isLogin = pathname === "/api/aaaLogin.json";
	const body = isRead
		? buildPage(Number(searchParams.get("page") ?? 0), Number(searchParams.get("page-size") ?? objects))
		: JSON.stringify({ totalCount: isLogin ? "1" : "0", imdata: isLogin ? [login] : [] });
	response.writeHead(200, isLogin ? { ...HEADERS, "set-cookie": "APIC-cookie=a-token; path=/" } : HEADERS);
	response.end(body);
});
server.listen(0, "127.0.0.1", () => {
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("The server has no port.");
	process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
