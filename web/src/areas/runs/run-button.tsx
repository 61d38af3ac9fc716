/** Starts a run, and says on which controller; the arrow chooses another one. */
import { ChevronDown, Layers, Play } from "lucide-react";
import { useState } from "react";
import { useConnectionGroups, useTarget, useTargets } from "../../platform/target.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { listTargetItems } from "../../ui/target-items.ts";

interface RunButtonProps {
	readonly busy: boolean;
	readonly keys?: string;
	onRun(): void;
	/** Runs on several controllers at once: on the group with this id, or on those chosen next. */
	onSeveral?: ((group: string | null) => void) | undefined;
}

export function RunButton({ busy, keys, onRun, onSeveral }: RunButtonProps) {
	const target = useTarget();
	const targets = useTargets();
	const [wasOpened, setOpened] = useState(false);
	const groups = useConnectionGroups(wasOpened && onSeveral !== undefined);
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
				trigger={<IconButton variant="primary" label="Choose the fabric" icon={ChevronDown} />}
				onOpen={() => setOpened(true)}
				groups={[
					listTargetItems(targets, target),
					onSeveral
						? [
								...(groups.data?.results ?? []).map(({ id, name }) => ({
									label: name,
									icon: Layers,
									run: () => onSeveral(id),
								})),
								{ label: "Several fabrics", icon: Layers, run: () => onSeveral(null) },
							]
						: [],
				]}
			/>
		</span>
	);
}
