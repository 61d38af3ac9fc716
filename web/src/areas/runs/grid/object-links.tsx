/** Where an object leads: its history, its class, and the controller that has it. */
import { Box, History, Network } from "lucide-react";
import { useMay } from "../../../platform/profile.ts";
import { useTargets } from "../../../platform/target.ts";
import { ButtonLink } from "../../../ui/button.tsx";
import { OutsideLink } from "../../../ui/outside-link.tsx";

/** What a result knows of where its rows came from; null where it does not. */
export interface Origin {
	readonly query: string | null;
	readonly controller: string | null;
}

interface ObjectLinksProps extends Origin {
	readonly className: string;
	readonly dn: string;
}

export function ObjectLinks({ className, dn, query, controller }: ObjectLinksProps) {
	const may = useMay();
	const url = useTargets().find(({ id }) => id === controller)?.url;
	return (
		<nav aria-label="About the object" className="mb-2 flex flex-wrap gap-2">
			{controller !== null && may("view_snapshot") && (
				<ButtonLink icon={Box} to="/objects" search={{ connection: controller, dn }}>
					Object
				</ButtonLink>
			)}
			{query !== null && may("view_snapshot") && (
				<ButtonLink
					icon={History}
					to="/time-machine/track"
					search={{ query, dn, ...(controller === null ? {} : { controller }) }}
				>
					Track
				</ButtonLink>
			)}
			{may("view_modelclass") && (
				<ButtonLink icon={Network} to="/model/$name" params={{ name: className }}>
					Class {className}
				</ButtonLink>
			)}
			{url !== undefined && (
				<OutsideLink href={`${url.replace(/\/$/, "")}/api/mo/${encodeURI(dn)}.json`}>
					Open on the controller
				</OutsideLink>
			)}
		</nav>
	);
}
