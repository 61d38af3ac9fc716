/** All keys that work on the page that is open. */
import { getKeys, useKeys } from "../platform/keys.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Keys } from "../ui/kbd.tsx";
import { useShell } from "./state.ts";

export function KeySheet() {
	const state = useKeys();
	const groups = Map.groupBy(
		state.commands.filter((command) => getKeys(command, state) !== undefined),
		({ group }) => group,
	);
	return (
		<Dialog
			open
			wide
			title="Keyboard shortcuts"
			description="Single letters are ignored while you type in a field. Change or disable them under Appearance and keys."
			onClose={() => useShell.setState({ keySheet: false })}
		>
			<div className="columns-2 gap-8 max-sm:columns-1">
				{[...groups].map(([group, commands]) => (
					<section key={group} className="mb-4 break-inside-avoid">
						<h3 className="m-0 mb-1 font-medium text-muted text-xs">{group}</h3>
						<dl className="m-0">
							{commands.map((command) => (
								<div key={command.id} className="flex min-h-7 items-center justify-between gap-3">
									<dt>{command.label}</dt>
									<dd className="m-0">
										<span className="sr-only">{getKeys(command, state)}</span>
										<Keys combo={getKeys(command, state) ?? ""} />
									</dd>
								</div>
							))}
						</dl>
					</section>
				))}
			</div>
		</Dialog>
	);
}
