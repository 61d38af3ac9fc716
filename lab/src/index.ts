/** The simulators, for tests, benchmarks and the demo. */
import { type AutomationOptions, type RunningAutomation, startAutomation } from "./automation/automation.ts";
import { type ControllerOptions, type RunningController, startController } from "./controller/controller.ts";
import { type ModelSourceOptions, type RunningModelSource, startModelSource } from "./model-source/source.ts";

export {
	type AutomationOptions,
	type JobNotice,
	type RunningAutomation,
	startAutomation,
} from "./automation/automation.ts";
export type { RecordedRequest } from "./automation/control.ts";
export { AUTOMATION_FAULTS, type AutomationFault, type AutomationFaults } from "./automation/faults.ts";
export { findProfile as profileNamed, type ProfileName } from "./automation/profiles.ts";
export type { User } from "./controller/auth/login.ts";
export type { Certificate } from "./controller/auth/signature.ts";
export type { AdvanceOptions } from "./controller/control/control.ts";
export {
	type ControllerOptions,
	type RunningController,
	type RunningMember,
	startController,
} from "./controller/controller.ts";
export type { DriftReport } from "./controller/drift.ts";
export type { FabricSize } from "./controller/fabric/sizes.ts";
export { FAULTS, type FaultName, type FaultSetting, type FaultSettings } from "./controller/faults.ts";
export type { LoadReport } from "./controller/load.ts";
export type { RequestRecord, StatsReport } from "./controller/stats.ts";

export {
	type ModelSourceOptions,
	type RunningModelSource,
	type SourceFaultSettings,
	startModelSource,
} from "./model-source/source.ts";

export interface LabOptions {
	readonly controller?: ControllerOptions;
	/** How many fabrics there are; those after the first take any free ports. Default 1. */
	readonly fabrics?: number;
	readonly automation?: AutomationOptions;
	readonly modelSource?: ModelSourceOptions;
}

export interface RunningLab {
	readonly controller: RunningController;
	/** Controllers of the further fabrics. */
	readonly otherControllers: readonly RunningController[];
	readonly automation: RunningAutomation;
	readonly modelSource: RunningModelSource;
	close(): Promise<void>;
}

/** Starts every simulator there is. */
export async function startLab(options: LabOptions = {}): Promise<RunningLab> {
	const controller = await startController(options.controller);
	const started: { close(): Promise<void> }[] = [controller];
	const keep = <T extends { close(): Promise<void> }>(part: T): T => {
		started.push(part);
		return part;
	};
	const close = async () => void (await Promise.all(started.map((part) => part.close())));
	try {
		const otherControllers: RunningController[] = [];
		for (let fabric = 2; fabric <= (options.fabrics ?? 1); fabric += 1) {
			const own = { ...options.controller, port: 0, memberPort: 0, fabric };
			otherControllers.push(keep(await startController(own)));
		}
		const automation = keep(await startAutomation(options.automation));
		const modelSource = keep(await startModelSource(options.modelSource));
		return { controller, otherControllers, automation, modelSource, close };
	} catch (error) {
		await close();
		throw error;
	}
}
