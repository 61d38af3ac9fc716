/** The faults the simulated release knows, by what they are found on. */
import type { Mo } from "../store/mo.ts";

export interface FaultKind {
	readonly code: string;
	readonly severity: string;
	readonly cause: string;
	readonly descr: string;
	readonly rule: string;
	readonly subject: string;
	readonly domain: string;
	readonly type: string;
}

const createKind = (
	code: string,
	severity: string,
	cause: string,
	descr: string,
	rule: string,
	subject: string,
	domain: string,
	type: string,
): FaultKind => ({ code, severity, cause, descr, rule, subject, domain, type });

export const GROUP_FAULTS: readonly FaultKind[] = [
	createKind(
		"F0467",
		"minor",
		"configuration-failed",
		"Configuration failed because of an invalid path configuration",
		"fv-nw-issues-config-failed",
		"management",
		"tenant",
		"config",
	),
	createKind(
		"F1298",
		"minor",
		"configuration-failed",
		"Deployment of the group failed on a node",
		"fv-pol-delivery-status-configuration-failed",
		"epg",
		"tenant",
		"config",
	),
	createKind(
		"F0955",
		"warning",
		"resolution-failed",
		"Failed to form a relation to the bridge domain",
		"fv-rs-bd-resolve-fail",
		"relation-resolution",
		"tenant",
		"config",
	),
];
export const NETWORK_FAULTS: readonly FaultKind[] = [
	createKind(
		"F0956",
		"major",
		"resolution-failed",
		"Failed to form a relation to the private network",
		"fv-rs-ctx-resolve-fail",
		"relation-resolution",
		"tenant",
		"config",
	),
	createKind(
		"F1425",
		"major",
		"ip-provisioning-failed",
		"Overlapping subnets in one private network",
		"ipv4-addr-oper-st-ip-provisioning-failed",
		"oper-state-failed",
		"infra",
		"operational",
	),
];
export const PORT_FAULTS: readonly FaultKind[] = [
	createKind(
		"F0532",
		"critical",
		"port-down",
		"Port is down, in use by an endpoint group",
		"ethpm-if-port-down-infra-epg",
		"port-down",
		"access",
		"communications",
	),
	createKind(
		"F0546",
		"warning",
		"port-down",
		"Port is down",
		"ethpm-if-port-down-no-infra",
		"port-down",
		"access",
		"communications",
	),
	createKind(
		"F381328",
		"warning",
		"threshold-crossed",
		"CRC errors crossed the threshold",
		"tca-eqpt-ingr-err-pkts5min-crc-last",
		"counter",
		"infra",
		"operational",
	),
];
export const NODE_FAULTS: readonly FaultKind[] = [
	createKind(
		"F0103",
		"major",
		"interface-physical-down",
		"A physical interface of the controller is down",
		"cnw-phys-if-down",
		"interface",
		"infra",
		"environmental",
	),
	createKind(
		"F0104",
		"critical",
		"interface-bond-down",
		"The bond interface is down",
		"cnw-aggr-if-down",
		"interface",
		"infra",
		"environmental",
	),
	createKind(
		"F1527",
		"warning",
		"equipment-full",
		"Storage is nearly full",
		"eqpt-storage-full-warning",
		"storage",
		"infra",
		"operational",
	),
];

/** A fault that was raised on an object. */
export interface Faulty {
	readonly on: Mo;
	readonly kind: FaultKind;
}
