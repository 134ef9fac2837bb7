// The name of the product with its sign.

/** The icon of the window, so that the sign is one file. */
const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.href ?? '';

export function Brand() {
  return (
    <>
      <img src={icon} alt="" width="24" height="24" /> Fairlead
    </>
  );
}
