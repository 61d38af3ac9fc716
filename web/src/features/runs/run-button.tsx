/** Starts a run, and says on which controller; the arrow chooses another one. */
import { ChevronDown, Layers, Play } from "lucide-react";
import { useTarget, useTargets } from "../../platform/target.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { targetItems } from "../../ui/target-items.ts";

interface RunButtonProps {
	readonly busy: boolean;
	readonly keys?: string;
	onRun(): void;
	/** Where it may run on several controllers at once. */
	onSeveral?: (() => void) | undefined;
}

export function RunButton({ busy, keys, onRun, onSeveral }: RunButtonProps) {
	const target = useTarget();
	const targets = useTargets();
	return (
		<span className="inline-flex gap-px">
			<Button
				variant="primary"
				icon={Play}
				busy={busy}
				title={target && `Run on ${target.name}`}
				{...(keys ? { keys } : {})}
				onClick={onRun}
			>
				<span className="max-w-44 truncate">{target ? `Run on ${target.name}` : "Run"}</span>
			</Button>
			<Menu
				trigger={<IconButton variant="primary" label="Choose the controller" icon={ChevronDown} />}
				groups={[
					targetItems(targets, target),
					onSeveral ? [{ label: "Several controllers", icon: Layers, run: onSeveral }] : [],
				]}
			/>
		</span>
	);
}
