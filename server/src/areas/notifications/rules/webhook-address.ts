/** Visibility of webhook addresses. */

interface Address {
	readonly url: string;
	/** Empty: the address is stored in `url`. */
	readonly url_sealed: string;
}

/** Host and port; empty without an address. */
export const getHost = ({ url }: { readonly url: string }): string => (url === "" ? "" : new URL(url).host);

/** Whether the stored row has the origin of its address only. */
export const isSealed = ({ url, url_sealed }: Address): boolean => url_sealed !== "" && url === new URL(url).origin;

/** Whether the address is never shown. It stays so if the format changes to one that shows it. */
export const isAddressSecret = (row: Address & { readonly format: string }): boolean =>
	row.format !== "json" || isSealed(row);
