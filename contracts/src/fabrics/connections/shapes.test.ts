/** What a connection's address and a pass-through path may hold. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { controllerUrl, findQueryPathProblem } from "./shapes.ts";

describe("controllerUrl", () => {
	it.each([
		["https://apic.example.com", "https://apic.example.com"],
		["https://apic.example.com/", "https://apic.example.com"],
		[" https://APIC.Example.com:443// ", "https://apic.example.com"],
		["HTTP://10.0.0.1:8080/fabric-1/", "http://10.0.0.1:8080/fabric-1"],
		["https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443"],
	])("reads %s as %s", (text, url) => {
		expect(controllerUrl.parse(text)).toBe(url);
	});

	it.each([
		"",
		"apic.example.com",
		"ftp://apic.example.com",
		"javascript:alert(1)",
		"https:apic.example.com",
		"https:/apic.example.com",
		"https://",
		"https:///apic",
		"https://?x",
		"https://user@apic",
		"https://user:planted@apic",
		"https://user:planted@apic@host",
		"https://apic?",
		"https://apic/?q=1",
		"https://apic/#",
		"https://apic#x",
		"https://apic\\@evil",
		"https://api c",
		"https://apic/a b",
		"https://ap\tic",
		"https://apic:99999",
		"https://apic:0",
		"https://[::1",
	])("refuses %j without repeating it", (text) => {
		const { success, error } = controllerUrl.safeParse(text);
		expect(success).toBe(false);
		expect(error?.message).not.toContain("planted");
	});

	it("refuses what is longer than an address", () => {
		expect(controllerUrl.safeParse(`https://apic/${"a".repeat(3000)}`).success).toBe(false);
	});

	it("leaves its own answers as they are", () => {
		fc.assert(
			fc.property(fc.webUrl(), (text) => {
				const url = controllerUrl.parse(text);
				expect(controllerUrl.parse(url)).toBe(url);
			}),
		);
	});
});

describe("queryPathProblem", () => {
	it.each([
		"/api/class/fvTenant.json",
		"/api/node/class/topology/pod-1/node-101/l1PhysIf.json?page=0&page-size=5",
		"/api/mo/uni/tn-a/BD-b/subnet-[10.0.0.1/24].json",
		"/api/mo/uni/tn-a/BD-b/subnet-%5B10.0.0.1%2F24%5D.json",
		"/api/mo/uni/tn-a..b.json",
		'/api/class/fvBD.json?query-target-filter=and(wcard(fvBD.name,"a..b"),ne(fvBD.descr,"50%25"))',
		"/api/class/fvBD.json?query-target-filter=wcard(fvBD.name,%22a%5Cd%22)",
		"/api/class/aaaLoginDomain.json",
		"/api/class/aaaRefreshLog.json",
		"/api/aaaListDomains.json",
	])("lets %s pass", (path) => {
		expect(findQueryPathProblem(path)).toBeNull();
	});

	it.each([
		"",
		"api/class/fvTenant.json",
		"/API/class/fvTenant.json",
		"/api",
		"//evil.example/api/class/x.json",
		"https://evil.example/api/class/x.json",
		"/apiary/class.json",
		"/api/../etc/passwd",
		"/api/class/..",
		"/api/class/./x.json",
		"/api/%2e%2e/etc",
		"/api/%2E./etc",
		"/api/.%2e%2fetc",
		"/api/%252e%252e/etc",
		"/api/%25252525252525252e/etc",
		"/api/x/..;/etc",
		"/api/x\\..\\etc",
		"/api/x%5cetc",
		"/api/x%255cetc",
		"/api/class/x.json#fragment",
		"/api/class/x.json?a=1#b",
		"/api/class/x.json\r\nHost: evil",
		"/api/class/x.json\0",
		"/api/class/x%00.json",
		"/api/class/x%0d%0aHost:evil.json",
		"/api/class/x%250d.json",
		"/api/class/x.json?a=%0a",
		"/api/class/%zz.json",
		"/api/class/%ff.json",
		"/api/aaaLogin.json",
		"/api/AAALOGIN.json?gui-token-request=yes",
		"/api/aaaLogin.xml",
		"/api/aaa%4cogin.json",
		"/api/aaa%254cogin.json",
		"/api//aaaRefresh.json",
		"/api/aaaRefresh.json",
		"/api/aaaLogout.json",
		"/api/x/%2faaaLogout.json",
		"/api/webtokenSession.json",
		"/api/requestAppToken.json",
	])("refuses %j", (path) => {
		expect(findQueryPathProblem(path)).toBeTypeOf("string");
	});

	it("takes no time for hostile encodings", () => {
		expect(findQueryPathProblem(`/api/%${"25".repeat(4000)}2e`)).toBeTypeOf("string");
	});

	it("never lets a dot segment, a backslash or a control character through, however encoded", () => {
		const hostile = fc.constantFrom("/../", "\\", "\n", "\0");
		const times = fc.integer({ min: 0, max: 3 });
		fc.assert(
			fc.property(fc.webSegment(), hostile, times, (segment, bad, rounds) => {
				let text: string = bad;
				for (let i = 0; i < rounds; i++) text = encodeURIComponent(text).replaceAll(".", "%2e");
				expect(findQueryPathProblem(`/api/${segment}/${text}`)).toBeTypeOf("string");
			}),
		);
	});
});
