/** Menu items that choose the default controller. */
import type { ControllerConnection } from "@weft/contracts";
import { Server } from "lucide-react";
import { chooseTarget } from "../platform/target.ts";
import type { MenuItem } from "./menu-items.tsx";
import { showProblem } from "./toast.tsx";

export const listTargetItems = (
	targets: readonly ControllerConnection[],
	chosen: ControllerConnection | undefined,
): MenuItem[] =>
	targets.map(({ id, name }) => ({
		label: name,
		icon: Server,
		checked: id === chosen?.id,
		run: () => switchTarget(id),
	}));

export function switchTarget(id: string): void {
	chooseTarget(id).catch((error: unknown) => showProblem(error, "The default was not saved"));
}
