# SPDX-License-Identifier: Apache-2.0

dist_pkgdata_DATA = %D%/electd.lua
