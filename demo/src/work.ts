/** The application that the story follows: its objects, and their changes on the last day. */
import { TENANT } from "./automation.ts";
import { ENGINEER, FABRICS, type Fabrics } from "./fabrics.ts";

export const DOMAIN = "bd-checkout";
/** An endpoint of the first fabric, in a subnet of the bridge domain. */
export const ENDPOINT = { mac: "00:50:56:AB:CD:21", ip: "10.70.1.21" } as const;
/** The EPG that nobody has given a contract. */
const LONELY_EPG = "kiosk";
const CONTRACT = "checkout";
const EPG = `uni/tn-${TENANT}/ap-checkout/epg-till`;
const PATH = "topology/pod-1/paths-101/pathep-[eth1/3]";
const UPLINK = "topology/pod-1/node-104/sys/phys-[eth1/12]";

const buildObject = (name: string, attributes: object, children: readonly object[] = []) => ({
	[name]: { attributes, children },
});

const buildEpg = (name: string, children: readonly object[]) =>
	buildObject("fvAEPg", { name }, [buildObject("fvRsBd", { tnFvBDName: DOMAIN }), ...children]);

/** The engineer builds the application alike in both fabrics. */
export async function buildApplication(fabrics: Fabrics): Promise<void> {
	const tenant = buildObject("fvTenant", { name: TENANT }, [
		buildObject("vzBrCP", { name: CONTRACT }, [buildObject("vzSubj", { name: CONTRACT })]),
		buildObject("fvBD", { name: DOMAIN, unicastRoute: "yes", descr: "Tills and kiosks" }, [
			buildObject("fvRsCtx", { tnFvCtxName: "vrf-01" }),
			buildObject("fvSubnet", { ip: "10.70.1.1/24", scope: "private" }),
		]),
		buildObject("fvAp", { name: "checkout" }, [
			buildEpg("till", [buildObject("fvRsProv", { tnVzBrCPName: CONTRACT })]),
			buildEpg(LONELY_EPG, []),
		]),
	]);
	for (const fabric of FABRICS.keys()) await fabrics.write(fabric, ENGINEER, "uni", tenant);
	await fabrics.setState(0, buildEndpoint());
}

/** A till that the first fabric has learned on a port. */
function buildEndpoint(): object[] {
	const { mac, ip } = ENDPOINT;
	const dn = `${EPG}/cep-${mac}`;
	const place = { baseEpgDn: EPG, fabricPathDn: PATH, vrfDn: `uni/tn-${TENANT}/ctx-vrf-01` };
	const domain = { bdDn: `uni/tn-${TENANT}/BD-${DOMAIN}`, encap: "vlan-150" };
	return [
		buildObject("fvCEp", { ...place, ...domain, dn, mac, ip, name: mac, lcC: "learned" }),
		buildObject("fvIp", { ...place, dn: `${dn}/ip-[${ip}]`, addr: ip }),
		buildObject("fvRsCEpToPathEp", { dn: `${dn}/rscEpToPathEp-[${PATH}]`, tDn: PATH, tCl: "fabricPathEp" }),
	];
}

/** On the last day the engineer switches routing off in the first fabric, and a cable fails. */
export async function damageApplication(fabrics: Fabrics): Promise<void> {
	const change = buildObject("fvBD", { name: DOMAIN, unicastRoute: "no" });
	await fabrics.write(0, ENGINEER, `uni/tn-${TENANT}`, change);
	const descr = "Port is down, reason: linkNotConnected, used by: Fabric";
	await fabrics.setState(0, [
		buildObject("ethpmPhysIf", {
			dn: `${UPLINK}/phys`,
			operSpeed: "100G",
			operSt: "down",
			operStQual: "link-failure",
			usage: "fabric",
			monPolDn: "uni/infra/moninfra-default",
		}),
		buildObject("faultInst", {
			dn: `${UPLINK}/phys/fault-F1394`,
			cause: "interface-physical-down",
			code: "F1394",
			descr,
			domain: "infra",
			lc: "raised",
			occur: "1",
			origSeverity: "major",
			highestSeverity: "major",
			prevSeverity: "major",
			rule: "ethpm-if-port-down-fabric",
			severity: "major",
			subject: "port-down",
			type: "communications",
		}),
	]);
}
